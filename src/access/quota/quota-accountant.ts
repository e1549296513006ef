// Charges quotas so that writes that come together cannot exceed them: one namespace's charges are taken in batches, one
// write a quota and batch, compared with what the quota said (upstream: resourcequota/controller.go checkQuotas).
import { StatusError } from "../../api/meta/errors.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/types/core-v1.ts";
import { type Charge, accountFor, counts } from "./charge.ts";

/** Where quotas are kept. Wired to the registries by cluster/. */
export interface QuotaBook {
  /** The newest known quotas of a namespace; cheap when there are none. */
  list(namespace: string): readonly Readonly<ResourceQuota>[];
  /**
   * Replaces a quota's status, atomically: `change` is called again with the newest quota when somebody was faster.
   * Rejects with NotFound when the quota is gone.
   */
  changeStatus(
    quota: { readonly namespace: string; readonly name: string },
    change: (quota: Readonly<ResourceQuota>) => ResourceQuotaStatus,
  ): Promise<void>;
}

interface Waiting {
  readonly charge: Charge;
  /** `why` undefined: every quota has room, and has been charged. */
  settle(why: string | undefined): void;
  fail(error: unknown): void;
}

/** Charges settled by one write of a quota. */
const batchMax = 256;

export class QuotaAccountant {
  readonly #book: QuotaBook;
  /** By namespace, while somebody waits there. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(book: QuotaBook) {
    this.#book = book;
  }

  /** Undefined when all quotas of the namespace have been charged, else why one of them has no room. */
  charge(namespace: string, charge: Charge): Promise<string | undefined> {
    return new Promise((settle, fail) => {
      const waiting = this.#waiting.get(namespace);
      const entry: Waiting = { charge, settle, fail };
      if (waiting !== undefined) {
        waiting.push(entry);
        return;
      }
      this.#waiting.set(namespace, [entry]);
      void this.#work(namespace);
    });
  }

  async #work(namespace: string): Promise<void> {
    const waiting = this.#waiting.get(namespace) ?? [];
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax);
      try {
        await this.#settleAll(namespace, batch);
      } catch (error) {
        for (const entry of batch) entry.fail(error);
      }
    }
    this.#waiting.delete(namespace);
  }

  async #settleAll(namespace: string, batch: readonly Waiting[]): Promise<void> {
    const refused = new Map<Waiting, string>();
    for (const quota of this.#book.list(namespace)) {
      const name = quota.metadata.name ?? "";
      const asking = batch.filter((entry) => !refused.has(entry) && counts(quota, entry.charge));
      if (asking.length === 0) continue;
      for (const [entry, why] of await this.#chargeOne({ namespace, name }, asking))
        refused.set(entry, why);
    }
    for (const entry of batch) entry.settle(refused.get(entry));
  }

  /** Those for whom there was no room. */
  async #chargeOne(
    place: { readonly namespace: string; readonly name: string },
    asking: readonly Waiting[],
  ): Promise<ReadonlyMap<Waiting, string>> {
    let refused = new Map<Waiting, string>();
    try {
      await this.#book.changeStatus(place, (quota) => {
        refused = new Map();
        let status = quota.status ?? {};
        for (const entry of asking) {
          const account = accountFor(place.name, status, entry.charge);
          if (account.kind === "Charged") ({ status } = account);
          else refused.set(entry, account.why);
        }
        return status;
      });
    } catch (error) {
      // A quota that is gone limits nothing.
      if (error instanceof StatusError && error.reason === "NotFound") return new Map();
      throw error;
    }
    return refused;
  }
}
