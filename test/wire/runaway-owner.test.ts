// The runaway-owner breaker through the front door: a loop against a server of its own, seen with kubectl, and the
// real ReplicaSet and taint eviction controllers fighting over a pinned pod.
import { afterEach, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type RawAnswer, ask, identityOf } from "./raw-client.ts";
import { type Server, type ServerOptions, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;

async function start(options: ServerOptions): Promise<void> {
  server = await startServer(options);
  kubectl = kubectlFor("36", server.kubeconfig);
}

afterEach(async () => {
  expect(await server.stop()).toBe(0);
});

const podSpec = "{restartPolicy: Never, nodeName: dead, containers: [{name: c, image: busybox}]}";

/** Creates and deletes pods of the owner until one is refused; gives the refusal and how many were made. */
async function loop(owner: object): Promise<{ refusal: RawAnswer; made: number }> {
  const identity = identityOf(server.kubeconfig);
  const pods = "/api/v1/namespaces/default/pods";
  const body = JSON.stringify({
    metadata: { generateName: "pi-", ownerReferences: [owner] },
    spec: { nodeName: "dead", containers: [{ name: "c", image: "busybox" }] },
  });
  for (let made = 0; ; made++) {
    const answer = await ask(identity, pods, { body });
    if (answer.status !== 201) return { refusal: answer, made };
    const pod = `${pods}/${answer.json.metadata.name}`;
    expect((await ask(identity, pod, { method: "DELETE" })).status).toBe(200);
  }
}

it("refuses a Job's pods in a loop, and kubectl describe job says why", async () => {
  await start({ flags: ["--memory", "--runaway-owner-limit=5"] });
  const template = `apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\nspec: {template: {spec: ${podSpec}}}`;
  await kubectl.ok(["create", "-f", "-"], template);
  const { metadata } = await kubectl.json(["get", "job", "pi"]);
  const { name, uid } = metadata;
  const { refusal, made } = await loop({
    apiVersion: "batch/v1",
    kind: "Job",
    name,
    uid,
    controller: true,
  });
  // The first replaces nothing; 5 + 20; and the feed may be a step behind.
  expect(made).toBeGreaterThanOrEqual(26);
  expect(made).toBeLessThanOrEqual(28);
  expect(refusal.headers["retry-after"]).toBe("1");
  expect(refusal.json).toMatchObject({
    kind: "Status",
    reason: "TooManyRequests",
    code: 429,
    details: { retryAfterSeconds: 1 },
  });
  expect(refusal.json.message).toMatch(
    /^runaway owner: 25 pods of Job "pi" in namespace "default" were replaced within 60 minutes/,
  );
  await kubectl.ok(["wait", "--for=create", "events", "--field-selector=reason=RunawayOwner"]);
  expect(await kubectl.ok(["describe", "job", "pi"])).toMatch(
    /Warning +RunawayOwner +\S+ +wavetank-apiserver +Creating pods is slowed down: 25 pods of Job "pi"/,
  );
  expect(await kubectl.ok(["get", "--raw", "/metrics"])).toMatch(
    /^wavetank_runaway_owner_refused_total\{kind="Job"\} 1\n(#.*\n)+wavetank_runaway_owners 1$/m,
  );
});

it("bounds a ReplicaSet on a tainted node, and lets it go on when the taint is gone", async () => {
  await start({ nodes: 1, flags: ["--memory", "--runaway-owner-limit=5"] });
  await kubectl.ok(["wait", "--for=condition=Ready", "--timeout=60s", "node", "node-1"]);
  await kubectl.ok(["taint", "node", "node-1", "dead=true:NoExecute"]);
  const pinned = podSpec.replace("restartPolicy: Never, nodeName: dead", "nodeName: node-1");
  const labels = "{app: web}";
  await kubectl.ok(
    ["create", "-f", "-"],
    `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec: {replicas: 1, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}, spec: ${pinned}}}`,
  );
  await kubectl.ok(["wait", "--for=create", "events", "--field-selector=reason=RunawayOwner"]);
  expect(await kubectl.ok(["describe", "rs", "web"])).toContain("RunawayOwner");
  await kubectl.ok(["taint", "node", "node-1", "dead-"]);
  const ready = "--for=jsonpath={.status.readyReplicas}=1";
  await kubectl.ok(["wait", ready, "--timeout=60s", "rs", "web"]);
  expect(await kubectl.ok(["get", "--raw", "/metrics"])).toMatch(/^wavetank_runaway_owners 0$/m);
});
