// The library as other projects import it: the built package, several control planes in one process.
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { expect, it } from "vitest";
import { UsageError, startControlPlane } from "wavetank";

it("runs several control planes side by side, each with its own objects", async () => {
  const planes = await Promise.all([startControlPlane(), startControlPlane()]);
  const cores = planes.map(({ kubeconfig }) => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    return config.makeApiClient(CoreV1Api);
  });
  const [first, second] = cores;
  if (!first || !second) throw new Error("two were started");
  await first.createNamespacedConfigMap({
    namespace: "default",
    body: { metadata: { name: "only-here" }, data: { a: "1" } },
  });
  const read = await first.readNamespacedConfigMap({ namespace: "default", name: "only-here" });
  expect(read.data).toEqual({ a: "1" });
  const others = await second.listNamespacedConfigMap({ namespace: "default" });
  expect(others.items.map((item) => item.metadata?.name)).not.toContain("only-here");
  expect(planes.map((plane) => plane.kubeconfigPath)).toEqual([undefined, undefined]);
  for (const plane of planes) await plane.stop();
  await expect(first.listNamespace()).rejects.toThrow();
});

it("says what is wrong with an option", async () => {
  const started = startControlPlane({ kubernetesVersion: "1.2" });
  await expect(started).rejects.toBeInstanceOf(UsageError);
  await expect(started).rejects.toThrow("1.36");
});
