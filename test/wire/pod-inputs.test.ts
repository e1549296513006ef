// Pods and the Secrets that they name, as kubectl shows them; and what a node may see of them.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;

beforeAll(async () => {
  server = await startServer({ flags: ["--memory", "--nodes=2"] });
  kubectl = kubectlFor("36", server.kubeconfig);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

const mounting = `
apiVersion: v1
kind: Pod
metadata: {name: vol}
spec:
  nodeName: node-1
  containers: [{name: web, image: nginx}]
  volumes: [{name: keys, secret: {secretName: keys}}]`;

const reading = `
apiVersion: v1
kind: Pod
metadata: {name: env}
spec:
  nodeName: node-2
  containers:
  - {name: web, image: nginx, envFrom: [{secretRef: {name: keys}}]}`;

it("keeps pods waiting until their Secret is there", async () => {
  await kubectl.ok(["create", "-f", "-"], `${mounting}\n---${reading}`);
  const waits = "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}";
  await kubectl.ok(["wait", "pod/vol", `${waits}=ContainerCreating`, "--timeout=60s"]);
  await kubectl.ok(["wait", "pod/env", `${waits}=CreateContainerConfigError`, "--timeout=60s"]);
  const message = 'MountVolume.SetUp failed for volume "keys" : secret "keys" not found';
  await expect
    .poll(() => kubectl.ok(["describe", "pod", "vol"]), { timeout: 60_000 })
    .toContain(message);
  expect(await kubectl.ok(["describe", "pod", "env"])).toMatch(
    /Failed .* Error: secret "keys" not found/,
  );
  await kubectl.ok(["create", "secret", "generic", "keys", "--from-literal=a=b"]);
  await kubectl.ok(["wait", "pod/vol", "pod/env", "--for=condition=Ready", "--timeout=100s"]);
});

it("shows a node the Secrets of its own pods only", async () => {
  const as = ["--as=system:node:node-1", "--as-group=system:nodes"];
  expect(await kubectl.ok([...as, "get", "secret", "keys", "-o", "name"])).toBe("secret/keys\n");
  await kubectl.ok(["create", "secret", "generic", "other"]);
  const refused = await kubectl.run([...as, "get", "secret", "other"]);
  expect(refused.stderr).toBe(
    `Error from server (Forbidden): secrets "other" is forbidden: User "system:node:node-1" cannot get resource "secrets" in API group "" in the namespace "default": no relationship found between node 'node-1' and this object\n`,
  );
  const token = await kubectl.run([...as, "create", "token", "default"]);
  expect(token.stderr).toContain("node requested token not bound to a pod");
});
