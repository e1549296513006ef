import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Etcd, startEtcd } from "../../../test/etcd.ts";
import { createPki } from "../../host/node/certificates.ts";
import { createNodeHost } from "../../host/node/node-host.ts";
import { storeContract } from "../store.contract.ts";
import {
  type Operation,
  type Store,
  type StoreEvent,
  StoreUnavailableError,
  type StoreWatch,
} from "../store.ts";
import { openEtcdStore } from "./etcd-store.ts";

const host = createNodeHost("silent", () => undefined);
const startMsMax = 60_000;

let etcd: Etcd;
beforeAll(async () => {
  etcd = await startEtcd();
}, startMsMax);
afterAll(() => etcd?.remove());

function open(...servers: string[]): Promise<Store> {
  return openEtcdStore(host, { servers: servers.length === 0 ? [etcd.url] : servers });
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

async function put(store: Store, key: string, text: string): Promise<number> {
  const success = [{ kind: "Put", key, value: Buffer.from(text) }] as const;
  return (await store.transact({ compare: [], success, failure: [] })).revision;
}

interface Followed extends StoreWatch {
  readonly events: StoreEvent[];
  /** Revisions whose events came in more than one call. */
  readonly split: number[];
  readonly end: Promise<string>;
  readonly upTo: (revision: number) => Promise<void>;
}

function follow(store: Store, fromRevision: number, prefix = "/registry/"): Followed {
  const events: StoreEvent[] = [];
  const split: number[] = [];
  let known = 0;
  let wake: () => void = () => undefined;
  let finish: (reason: string) => void = () => undefined;
  const end = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const advance = (revision: number): void => {
    known = revision;
    wake();
  };
  const range = { start: prefix, end: `${prefix.slice(0, -1)}0`, fromRevision };
  const watch = store.watch(range, {
    events(portion, revision) {
      if (portion[0]!.kv.modRevision === events.at(-1)?.kv.modRevision) split.push(revision);
      events.push(...portion);
      advance(revision);
    },
    progress: advance,
    ended: (reason) => finish(reason.kind === "Compacted" ? reason.kind : reason.cause.message),
  });
  const upTo = (revision: number): Promise<void> =>
    new Promise((resolve) => {
      wake = () => {
        if (known >= revision) resolve();
      };
      wake();
    });
  return { ...watch, events, split, end, upTo };
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

describe("several stores on one etcd", () => {
  it("see each other's writes in one order", async () => {
    const stores = await Promise.all([open(), open(), open()]);
    await clear(stores[0]);
    const from = (await stores[0].currentRevision()) + 1;
    const watches = stores.map((store) => follow(store, from));
    const revisions = await Promise.all(
      stores.flatMap((store, i) =>
        Array.from({ length: 40 }, (_, k) => put(store, `/registry/${k % 7}`, `${i} ${k}`)),
      ),
    );
    const last = Math.max(...revisions);
    await Promise.all(watches.map((watch) => watch.upTo(last)));
    const seen = watches.map(({ events }) =>
      events.map(({ kv }) => `${kv.modRevision} ${kv.key} ${Buffer.from(kv.value).toString()}`),
    );
    expect(seen[0]).toHaveLength(120);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("leave no trace of their progress marks", async () => {
    const [store, other] = await Promise.all([open(), open()]);
    await clear(store);
    const from = (await store.currentRevision()) + 1;
    const watch = follow(store, from);
    const all = follow(other, from, "/");
    for (let i = 0; i < 5; i += 1) {
      const outside = await put(other, "/outside", String(i));
      watch.requestProgress();
      await watch.upTo(outside);
    }
    const last = await put(other, "/outside", "last");
    await all.upTo(last);
    expect(watch.events).toEqual([]);
    expect(new Set(all.events.map(({ kv }) => kv.key))).toEqual(new Set(["/outside"]));
    expect(await other.range({ start: "/", end: "0", keysOnly: true })).toMatchObject({
      kvs: [{ key: "/outside" }],
    });
    await Promise.all([store.close(), other.close()]);
  });
});

describe("a replay larger than a message", () => {
  it("arrives whole, with no revision split", async () => {
    const store = await open();
    await clear(store);
    const from = (await store.currentRevision()) + 1;
    const value = Buffer.alloc(150_000, "x");
    let last = 0;
    for (let i = 0; i < 12; i += 1) {
      const keys = ["a", "b", "c", "d", "e"].map((name) => `/registry/${name}`);
      const success = keys.map((key) => ({ kind: "Put", key, value }) as const);
      last = (await store.transact({ compare: [], success, failure: [] })).revision;
    }
    const watch = follow(store, from);
    await watch.upTo(last);
    expect(watch.events).toHaveLength(60);
    expect(watch.split).toEqual([]);
    expect(watch.events.every(({ kv }) => kv.value.length === value.length)).toBe(true);
    await store.close();
  });
});

describe("when etcd fails", () => {
  let own: Etcd;
  beforeEach(async () => {
    own = await startEtcd();
  }, startMsMax);
  afterEach(() => own.remove());

  it("watches go on behind the last event, and writes say that they may be lost", async () => {
    const store = await open(own.url);
    const from = (await store.currentRevision()) + 1;
    const watch = follow(store, from);
    await watch.upTo(await put(store, "/registry/a", "before"));
    await own.kill();
    await expect(put(store, "/registry/a", "lost")).rejects.toBeInstanceOf(StoreUnavailableError);
    await own.start();
    // Another client writes before the watch may be back.
    const other = await open(own.url);
    await put(other, "/registry/b", "meanwhile");
    const last = await put(store, "/registry/a", "after");
    await watch.upTo(last);
    expect(watch.events.map(({ kv }) => Buffer.from(kv.value).toString())).toEqual([
      "before",
      "meanwhile",
      "after",
    ]);
    const progressed = await put(store, "/elsewhere", "1");
    watch.requestProgress();
    await watch.upTo(progressed);
    await Promise.all([store.close(), other.close()]);
  });

  it("reads wait for it to come back", async () => {
    const store = await open(own.url);
    await put(store, "/registry/a", "kept");
    await own.kill();
    const read = store.range({ start: "/registry/a" });
    await own.start();
    expect(await read).toMatchObject({ kind: "Range", count: 1 });
    await store.close();
  });

  it("watches end when it comes back with another past", async () => {
    const store = await open(own.url);
    const watch = follow(store, (await store.currentRevision()) + 1);
    for (let i = 0; i < 5; i += 1) await put(store, "/registry/a", String(i));
    await watch.upTo(await store.currentRevision());
    await own.kill();
    own.wipe();
    await own.start();
    expect(await watch.end).toBe("etcd went back from revision 6 to 1");
    await store.close();
  });

  it("another endpoint is used, at first and later", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const dead = `http://127.0.0.1:${port}`;
    for (const servers of [
      [dead, own.url],
      [own.url, dead],
    ]) {
      const store = await open(...servers);
      const watch = follow(store, (await store.currentRevision()) + 1);
      await watch.upTo(await put(store, "/registry/a", "1"));
      await store.close();
    }
    await expect(open(dead)).rejects.toThrow(`no etcd server answers at ${dead}`);
  });
});

describe("over TLS", () => {
  it("the server and the client show certificates of the given authority", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wavetank-etcd-tls-"));
    const pki = await createPki(["127.0.0.1", "localhost"], host.clock.now());
    const file = (name: string, pem: string): string => {
      const path = join(folder, name);
      writeFileSync(path, pem, { mode: 0o600 });
      return path;
    };
    const caFile = file("ca.crt", pki.ca.certificate);
    const own = await startEtcd({
      scheme: "https",
      arguments: [
        "--client-cert-auth",
        `--trusted-ca-file=${caFile}`,
        `--cert-file=${file("server.crt", pki.server.certificate)}`,
        `--key-file=${file("server.key", pki.server.key)}`,
      ],
    });
    const certFile = file("client.crt", pki.admin.certificate);
    const keyFile = file("client.key", pki.admin.key);
    const store = await openEtcdStore(host, { servers: [own.url], caFile, certFile, keyFile });
    const watch = follow(store, (await store.currentRevision()) + 1);
    await watch.upTo(await put(store, "/registry/a", "1"));
    await expect(openEtcdStore(host, { servers: [own.url], caFile })).rejects.toBeInstanceOf(
      StoreUnavailableError,
    );
    await store.close();
    await own.remove();
    rmSync(folder, { recursive: true, force: true });
  });
});

it.each(["", "ftp://10.0.0.1:2379", "http://"])("%j is no address", async (server) => {
  await expect(open(server)).rejects.toThrow("is no etcd server: say it as https://HOST:PORT");
});
