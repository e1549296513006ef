// Leases for objects that go away by themselves, shared by all that were written within a minute: one lease an event
// would double the store's work (upstream: storage/etcd3/lease_manager.go).
import type { Clock } from "../../host/host.ts";
import type { LeaseId, Store } from "../../storage/store.ts";

/** How long one lease is handed out; objects may live this much longer than asked. */
const leaseShareSeconds = 60;

export class LeasePool {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #byTtl = new Map<number, { readonly lease: Promise<LeaseId>; readonly until: number }>();

  constructor(clock: Clock, store: Store) {
    this.#clock = clock;
    this.#store = store;
  }

  /** A lease that lives at least `ttlSeconds` from now. */
  async leaseFor(ttlSeconds: number): Promise<LeaseId> {
    const now = this.#clock.monotonic();
    const shared = this.#byTtl.get(ttlSeconds);
    if (shared !== undefined && now < shared.until) return shared.lease;
    const lease = this.#store.grantLease(ttlSeconds + leaseShareSeconds);
    const entry = { lease, until: now + leaseShareSeconds * 1000 };
    this.#byTtl.set(ttlSeconds, entry);
    try {
      return await lease;
    } catch (error) {
      // The next writer asks anew instead of failing for a minute.
      if (this.#byTtl.get(ttlSeconds) === entry) this.#byTtl.delete(ttlSeconds);
      throw error;
    }
  }
}
