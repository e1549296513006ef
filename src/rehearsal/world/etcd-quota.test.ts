import { describe, expect, it } from "vitest";
import { simulate } from "../../../test/simulation.ts";
import { createMemoryStore } from "../../storage/memory/memory-store.ts";
import type { Operation, Store } from "../../storage/store.ts";
import { EtcdQuota } from "./etcd-quota.ts";

const kilobyte = new Uint8Array(1_000);

class QuotaBed {
  readonly #simulation = simulate();
  readonly store: Store = createMemoryStore(this.#simulation.host);
  readonly quota = new EtcdQuota(this.store, 10_000);

  /** Whether it was taken. */
  put(key: string): Promise<boolean> {
    return this.#try({ kind: "Put", key, value: kilobyte });
  }

  remove(key: string): Promise<boolean> {
    return this.#try({ kind: "Delete", key });
  }

  defragment(): Promise<void> {
    return this.#simulation.driver.run(this.quota.defragment(), 60_000);
  }

  async #try(operation: Operation): Promise<boolean> {
    const transaction = { compare: [], success: [operation], failure: [] };
    const write = async (): Promise<boolean> => {
      try {
        await this.quota.admit(transaction);
      } catch (error) {
        expect((error as Error).message).toBe("etcdserver: mvcc: database space exceeded");
        return false;
      }
      await this.store.transact(transaction);
      return true;
    };
    return this.#simulation.driver.run(write(), 60_000);
  }
}

describe("etcd's quota", () => {
  it("refuses writes when the file is full, and takes deletes", async () => {
    const bed = new QuotaBed();
    for (let i = 0; i < 9; i++) expect(await bed.put(`/${i}`)).toBe(true);
    expect(await bed.put("/more")).toBe(false);
    expect(bed.quota.alarmed).toBe(true);
    expect(await bed.remove("/1")).toBe(true);
    expect(bed.quota.refused).toBe(1);
  });

  it("keeps refusing after deletes, until it was defragmented", async () => {
    const bed = new QuotaBed();
    for (let i = 0; i < 9; i++) await bed.put(`/${i}`);
    await bed.put("/more");
    for (let i = 0; i < 9; i++) await bed.remove(`/${i}`);
    expect(await bed.put("/more")).toBe(false);
    await bed.defragment();
    expect(await bed.put("/more")).toBe(true);
    expect(bed.quota.fileBytes).toBeLessThan(2_000);
  });

  it("counts history: one object written again and again fills it too", async () => {
    const bed = new QuotaBed();
    const taken: boolean[] = [];
    for (let i = 0; i < 12; i++) taken.push(await bed.put("/same"));
    expect(taken.filter(Boolean).length).toBe(9);
  });
});
