// What the same etcd gives a bare client: the transactions that a create makes, with nothing around them.
import { createNodeHost } from "../../src/host/node/node-host.ts";
import { openEtcdStore } from "../../src/storage/etcd/etcd-store.ts";
import type { Report } from "./figures.ts";
import { inParallel, quantile } from "./load-client.ts";
import { configMap } from "./objects.ts";

/** Creates a second by 64 writers. */
export async function measureBareEtcd(url: string, report: Report): Promise<number> {
  const host = createNodeHost("warn", (line) => console.error(line));
  const store = await openEtcdStore(host, { servers: [url] });
  const create = async (index: number): Promise<void> => {
    const key = `/bare/${index}`;
    const value = Buffer.from(configMap(`bare-${index}`, index));
    const { succeeded } = await store.transact({
      compare: [{ key, modRevision: 0 }],
      success: [{ kind: "Put", key, value }],
      failure: [{ kind: "Get", key }],
    });
    if (!succeeded) throw new Error(`${key} was there before`);
  };
  const warm = 2000;
  const count = 10_000;
  await inParallel(warm, 64, create);
  const began = performance.now();
  const times = await inParallel(count, 64, (index) => create(index + warm));
  const rate = count / ((performance.now() - began) / 1000);
  await store.close();
  report({ what: "etcd, bare client, 64 writers: rate", value: rate, unit: "/s" });
  report({ what: "etcd, bare client: p99", value: quantile(times, 0.99), unit: "ms" });
  return rate;
}
