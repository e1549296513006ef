import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNodeHost } from "../../host/node/node-host.ts";
import { storeContract } from "../store.contract.ts";
import type { Store } from "../store.ts";
import { DataFolderError } from "./data-folder-error.ts";
import { lockFolder } from "./folder-lock.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const host = createNodeHost("silent", () => undefined);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavetank-lmdb-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

for (const durability of ["sync", "relaxed"] as const) {
  storeContract(`the LMDB store (${durability})`, async () => {
    const options = { folder: join(folder, "store"), durability };
    let store = await openLmdbStore(host, options);
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await openLmdbStore(host, options);
        return store;
      },
      close: () => store.close(),
    };
  });
}

function open(): Promise<Store> {
  return openLmdbStore(host, { folder, durability: "relaxed" });
}

async function put(store: Store, key: string, value: Uint8Array): Promise<void> {
  await store.transact({ compare: [], success: [{ kind: "Put", key, value }], failure: [] });
}

function contentOf(path: string): Record<string, string> {
  const names = readdirSync(path).filter((name) => name !== "lock.mdb" && name !== "lock.sock");
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), "base64")]));
}

describe("a data folder", () => {
  it("has one owner in a process, and the next after it", async () => {
    const store = await open();
    await expect(open()).rejects.toThrow(/another Wavetank is using it; stop that one/);
    await put(store, "/a", new Uint8Array(10));
    await store.close();
    const again = await open();
    expect(await again.currentRevision()).toBe(2);
    await again.close();
    expect(readdirSync(folder).toSorted()).toEqual(["data.mdb", "format.json", "lock.mdb"]);
  });

  it("has one owner among racing openers", async () => {
    const outcomes = await Promise.allSettled([open(), open(), open(), open()]);
    const opened = outcomes.filter(({ status }) => status === "fulfilled");
    expect(opened).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") await outcome.value.close();
      else expect(outcome.reason).toBeInstanceOf(DataFolderError);
    }
  });

  it("has one owner among processes, and is free when that one was killed", async () => {
    const script = `
      require("node:net").createServer((socket) => socket.destroy())
        .listen(${JSON.stringify(join(folder, "lock.sock"))}, () => console.log("locked"));`;
    const owner = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(owner.stdout, "data");
    await expect(open()).rejects.toThrow(/another Wavetank is using it/);
    owner.kill("SIGSTOP");
    await expect(open()).rejects.toThrow(/another Wavetank is using it/);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    expect(existsSync(join(folder, "lock.sock"))).toBe(true);
    const store = await open();
    await store.close();
  });

  it("is locked also where its path is too long for a socket", async () => {
    const deep = join(folder, "d".repeat(120));
    const options = { folder: deep, durability: "relaxed" } as const;
    const store = await openLmdbStore(host, options);
    await expect(openLmdbStore(host, options)).rejects.toBeInstanceOf(DataFolderError);
    await store.close();
  });

  it("of a newer format is refused and left alone", async () => {
    await (await open()).close();
    const format = JSON.stringify({ format: "wavetank-lmdb", version: 2, state: "odd" });
    writeFileSync(join(folder, "format.json"), format);
    const before = contentOf(folder);
    await expect(open()).rejects.toThrow(/has format 2.*knows formats up to 1.*another --data-dir/);
    expect(contentOf(folder)).toEqual(before);
  });

  it("of a stranger is refused and left alone", async () => {
    writeFileSync(join(folder, "thesis.txt"), "all my work");
    await expect(open()).rejects.toThrow(/not empty and not a Wavetank store \(thesis.txt\)/);
    expect(readdirSync(folder)).toEqual(["thesis.txt"]);
  });

  it("begins anew when its first start was interrupted", async () => {
    const format = JSON.stringify({ format: "wavetank-lmdb", version: 1, state: "creating" });
    writeFileSync(join(folder, "format.json"), format);
    writeFileSync(join(folder, "data.mdb"), "half a page");
    const store = await open();
    expect(await store.currentRevision()).toBe(1);
    await store.close();
  });

  it.each<[string, () => void]>([
    ["a format file that is no JSON", () => writeFileSync(join(folder, "format.json"), "{")],
    ["a format file that says nothing", () => writeFileSync(join(folder, "format.json"), "{}")],
    ["no database", () => rmSync(join(folder, "data.mdb"))],
    ["an empty database file", () => truncateSync(join(folder, "data.mdb"), 0)],
    ["half a database file", () => truncateSync(join(folder, "data.mdb"), size() / 2)],
    ["another database file", () => writeFileSync(join(folder, "data.mdb"), "x".repeat(9000))],
  ])("that is damaged is refused and left alone: %s", async (_name, damage) => {
    const store = await open();
    const value = new Uint8Array(5000);
    await Promise.all(Array.from({ length: 200 }, (_, i) => put(store, `/${i}`, value)));
    await store.close();
    damage();
    const before = contentOf(folder);
    await expect(open()).rejects.toThrow(
      /it is damaged: .*nothing was changed; start with another/,
    );
    expect(contentOf(folder)).toEqual(before);
    await (await lockFolder(folder)).release();
  });

  it("with bytes behind its database is fine", async () => {
    const store = await open();
    await put(store, "/a", new Uint8Array(10));
    await store.close();
    appendFileSync(join(folder, "data.mdb"), "torn end of a commit that a crash has interrupted");
    const again = await open();
    expect(await again.currentRevision()).toBe(2);
    await again.close();
  });

  function size(): number {
    return statSync(join(folder, "data.mdb")).size;
  }
});

describe("compaction on disk", () => {
  it("gives the space of old values back to new ones", async () => {
    const store = await open();
    const value = new Uint8Array(8000);
    const round = async (): Promise<void> => {
      for (let i = 0; i < 30; i += 1) {
        await Promise.all(Array.from({ length: 10 }, (_, k) => put(store, `/k/${k}`, value)));
      }
      await store.compact(await store.currentRevision());
    };
    await round();
    await round();
    const { sizeBytes } = await store.status();
    for (let i = 0; i < 6; i += 1) await round();
    expect((await store.status()).sizeBytes).toBeLessThan(sizeBytes * 2);
    await store.close();
    const again = await open();
    const range = await again.range({ start: "/k/", end: "/k0" });
    expect(range).toMatchObject({ kind: "Range", count: 10 });
    await again.close();
  });
});
