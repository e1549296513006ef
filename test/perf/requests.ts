// What single requests of everyday kinds cost, in a cluster that holds many pods. No goals: these tell where time goes.
import type { Report } from "./figures.ts";
import { LoadClient, type SendOptions, inParallel, quantile } from "./load-client.ts";
import { configMap, podName } from "./objects.ts";
import { costOf } from "./server-process.ts";
import { type Subject, path, takeLoopLag } from "./subject.ts";

interface Ask {
  readonly what: string;
  readonly method: string;
  readonly path: (index: number) => string;
  readonly options?: (index: number) => SendOptions;
  readonly count: number;
  readonly width: number;
}

const table =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
const small = "one-small";

function asks(pods: number): readonly Ask[] {
  const anyPod = (index: number): string => path(`pods/${podName((index * 31) % pods)}`);
  const patched = (index: number): SendOptions => ({
    body: JSON.stringify({ metadata: { labels: { turn: `${index}` } } }),
  });
  return [
    {
      what: "GET of a 2 KB ConfigMap",
      method: "GET",
      path: () => path(`configmaps/${small}`),
      count: 8000,
      width: 16,
    },
    { what: "GET of a 6 KB pod", method: "GET", path: anyPod, count: 8000, width: 16 },
    {
      what: "merge PATCH of a 6 KB pod's labels",
      method: "PATCH",
      path: anyPod,
      options: patched,
      count: 3000,
      width: 16,
    },
    {
      what: "LIST by an unindexed label, 1 % matches",
      method: "GET",
      path: (index) => `/api/v1/pods?labelSelector=app%3Dapp-${index % 100}`,
      count: 100,
      width: 4,
    },
    {
      what: "LIST of 500 pods",
      method: "GET",
      path: () => "/api/v1/pods?limit=500",
      count: 100,
      width: 4,
    },
    {
      what: "LIST of 500 pods as a Table",
      method: "GET",
      path: () => "/api/v1/pods?limit=500",
      options: () => ({ accept: table }),
      count: 100,
      width: 4,
    },
  ];
}

export async function measureRequests(
  subject: Subject,
  pods: number,
  report: Report,
): Promise<void> {
  const client = new LoadClient(subject.target);
  await client.expect(201, "POST", path("configmaps"), { body: configMap(small, 1) });
  for (const ask of asks(pods)) {
    const { what, method, count, width } = ask;
    const one = async (index: number): Promise<void> => {
      await client.expect(200, method, ask.path(index), ask.options?.(index));
    };
    await inParallel(count / 4, width, one);
    await takeLoopLag(client);
    const { result, cpuSeconds } = await costOf(subject.pid, () => inParallel(count, width, one));
    const lag = await takeLoopLag(client);
    report({ what: `${what}: p99, ${width} at once`, value: quantile(result, 0.99), unit: "ms" });
    if (cpuSeconds !== undefined)
      report({ what: `${what}: server CPU`, value: (cpuSeconds / count) * 1e6, unit: "us" });
    if (lag !== undefined && width < 16)
      report({ what: `${what}: event loop's longest lag`, value: lag.maxMs, unit: "ms" });
  }
  client.close();
}
