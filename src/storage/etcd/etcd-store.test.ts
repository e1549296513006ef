import { afterAll, beforeAll } from "vitest";
import { type Etcd, startEtcd } from "../../../test/etcd.ts";
import { createNodeHost } from "../../host/node/node-host.ts";
import { storeContract } from "../store.contract.ts";
import type { Operation, Store } from "../store.ts";
import { openEtcdStore } from "./etcd-store.ts";

const host = createNodeHost("silent", () => undefined);

let etcd: Etcd;
beforeAll(async () => {
  etcd = await startEtcd();
}, 60_000);
afterAll(() => etcd.remove());

function open(): Promise<Store> {
  return openEtcdStore(host, { servers: [etcd.url] });
}

async function clear(store: Store): Promise<void> {
  const range = await store.range({ start: "\u0001", end: "\u{10FFFF}", keysOnly: true });
  if (range.kind !== "Range") throw new Error(range.kind);
  const deletions = range.kvs.map(({ key }): Operation => ({ kind: "Delete", key }));
  for (let at = 0; at < deletions.length; at += 100) {
    const success = deletions.slice(at, at + 100);
    await store.transact({ compare: [], success, failure: [] });
  }
}

storeContract("the etcd store", async () => {
  let store = await open();
  await clear(store);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    close: () => store.close(),
  };
});
