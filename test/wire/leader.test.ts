// Two processes with controllers on one etcd: one acts, and when it dies the other takes over.
import { expect, it } from "vitest";
import { startEtcd } from "../etcd.ts";
import { kubectlFor } from "./kubectl.ts";
import { startServer } from "./server.ts";

it("lets one process act at a time", async () => {
  const etcd = await startEtcd();
  const flags = ["--etcd-servers", etcd.url];
  const first = await startServer({ flags, nodes: 0 });
  const leader = kubectlFor("36", first.kubeconfig);
  const holderOf = ["get", "lease", "-n", "kube-system", "kube-controller-manager", "-o"];
  const holder = "jsonpath={.spec.holderIdentity}";
  await leader.ok([
    "wait",
    "--for=create",
    "-n",
    "kube-system",
    "lease/kube-controller-manager",
    "--timeout=30s",
  ]);
  const before = await leader.ok([...holderOf, holder]);
  const second = await startServer({ flags, nodes: 2 });
  const kubectl = kubectlFor("36", second.kubeconfig);
  await kubectl.ok(["create", "deployment", "web", "--image=nginx", "--replicas=4"]);
  await kubectl.ok(["rollout", "status", "deployment/web", "--timeout=60s"]);
  expect((await kubectl.json(["get", "pods"])).items).toHaveLength(4);
  expect(await kubectl.ok([...holderOf, holder])).toBe(before);

  await first.stop("SIGKILL");
  await kubectl.ok(["scale", "deployment/web", "--replicas=6"]);
  await kubectl.ok(["rollout", "status", "deployment/web", "--timeout=60s"]);
  expect((await kubectl.json(["get", "pods"])).items).toHaveLength(6);
  expect(await kubectl.ok([...holderOf, holder])).not.toBe(before);
  expect(await second.stop()).toBe(0);
  await etcd.remove();
});
