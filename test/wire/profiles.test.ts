// The version dial through the front door: the seed's runaway Job on a machine that is switched off, seen with kubectl.
// Its node has a taint that nobody tolerates, because the manifest as it was printed makes 12 pods an hour only.
import { spawnSync } from "node:child_process";
import { afterEach, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, bin, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;

const manifest = `
apiVersion: batch/v1
kind: Job
metadata:
  name: error-ret
spec:
  template:
    spec:
      containers:
        - name: error-ret
          image: alpine
          command: ["sh"]
          args: ["-c", "exit 1"]
      restartPolicy: Never
      tolerations:
        - key: "node.kubernetes.io/not-ready"
          operator: "Exists"
          effect: "NoSchedule"
      nodeName: node-2
`;

async function startWithDeadNode(flags: readonly string[]): Promise<void> {
  server = await startServer({ nodes: 2, flags: ["--memory", ...flags] });
  kubectl = kubectlFor("36", server.kubeconfig);
  await kubectl.ok(["wait", "--for=condition=Ready", "--timeout=60s", "node", "--all"]);
  const args = [bin, "node", "kill", "node-2", "--kubeconfig", server.kubeconfig];
  expect(spawnSync("node", args).status).toBe(0);
  await kubectl.ok(["taint", "node", "node-2", "dead=true:NoExecute"]);
}

const listsFrom = async (place: "storage" | "cache"): Promise<number> => {
  const metrics = await kubectl.ok(["get", "--raw", "/metrics"]);
  const line = new RegExp(
    `^apiserver_${place}_list_total\\{[^}]*resource="pods"[^}]*\\} (\\d+)$`,
    "m",
  );
  return Number(line.exec(metrics)?.[1]);
};

afterEach(async () => {
  expect(await server.stop()).toBe(0);
});

it("loops as of 1.16, until the runaway-owner breaker bounds it", async () => {
  await startWithDeadNode(["--kubernetes-version", "1.16", "--runaway-owner-limit", "40"]);
  const version = await kubectl.json(["version"]);
  expect(version.serverVersion.minor).toBe("36");
  await kubectl.ok(["create", "-f", "-"], manifest);
  const event = ["--for=create", "events", "--field-selector=reason=RunawayOwner"];
  await kubectl.ok(["wait", "--timeout=120s", ...event]);
  const pods = await kubectl.ok(["get", "pods", "--no-headers"]);
  const rows = pods.trim().split("\n");
  expect(rows.length).toBeGreaterThanOrEqual(60);
  expect(rows.length).toBeLessThanOrEqual(64);
  const ending = rows.filter((row) => /^error-ret-\S+ +0\/1 +Terminating +0 /.test(row));
  // But for one that may have come just now.
  expect(ending.length).toBeGreaterThanOrEqual(rows.length - 1);
  const job = await kubectl.json(["get", "job", "error-ret"]);
  expect(job.status.failed).toBeUndefined();
  expect(await kubectl.ok(["get", "events"])).toMatch(
    /TaintManagerEviction +pod\/error-ret-\S+ +Marking for deletion Pod default\/error-ret-/,
  );
  // kubectl's LISTs name no resourceVersion: before 1.31 each read the store.
  expect(await listsFrom("storage")).toBeGreaterThan(0);
});

it("backs off as of 1.36", async () => {
  await startWithDeadNode([]);
  await kubectl.ok(["create", "-f", "-"], manifest);
  const failed = "--for=jsonpath={.status.failed}=2";
  await kubectl.ok(["wait", failed, "--timeout=60s", "job", "error-ret"]);
  expect((await kubectl.json(["get", "pods"])).items).toHaveLength(2);
  expect(await listsFrom("storage")).toBe(0);
  expect(await listsFrom("cache")).toBeGreaterThan(0);
});
