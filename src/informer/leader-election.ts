// One of several processes leads, by holding a Lease that it must keep renewing. Others' clocks are not trusted: a lease
// counts from when this process saw it change. A leader gives up some seconds before others may take over, also after it
// stood still (upstream: client-go/tools/leaderelection).
import { microTimestamp } from "../api/meta/timestamp.ts";
import type { Lease, LeaseSpec } from "../api/types/coordination-v1.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { ObjectRef, Served } from "../client/served-object.ts";
import { AbortedError, pause, withDeadline } from "../client/waiting.ts";
import type { Host, RandomStream } from "../host/host.ts";
import { isCallFailure } from "../client/reason.ts";

export interface LeaderTiming {
  /** A lease that was not renewed for so long may be taken. */
  readonly leaseDurationMs: number;
  /** A leader that could not renew for so long is none any more. Less than leaseDurationMs. */
  readonly renewDeadlineMs: number;
  /** Between attempts; of candidates up to 1.2 times more, drawn. */
  readonly retryPeriodMs: number;
}

export const leaderTimingUsual: LeaderTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface LeaderOptions {
  readonly leases: ResourceClient<Lease>;
  readonly lock: ObjectRef;
  /** Unlike any other candidate's: `hostname_uuid`. */
  readonly identity: string;
  readonly timing: LeaderTiming;
}

/** The Lease as this process last saw it. */
interface Observation {
  readonly lease: Served<Lease>;
  /** Monotonic, when its spec was first seen. */
  readonly at: number;
}

const candidateJitter = 1.2;

export class LeaderElector {
  readonly #host: Host;
  readonly #options: LeaderOptions;
  readonly #chance: RandomStream;
  #observed: Observation | undefined;

  constructor(host: Host, options: LeaderOptions) {
    this.#host = host;
    this.#options = options;
    this.#chance = host.random.stream(`leader/${options.identity}`);
  }

  /** Who led when this process last looked; "" for nobody. */
  get leader(): string {
    return this.#observed?.lease.spec?.holderIdentity ?? "";
  }

  /**
   * Waits until this process leads, then calls `lead`, whose signal fires when it must stop. Resolves when `lead` has
   * returned: after leadership was lost (run again to stand again), or `signal` fired and the lease was given back.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      let renewedAt = await this.#acquire(signal);
      const leading = new AbortController();
      const led = lead(leading.signal);
      try {
        while (!signal.aborted) renewedAt = await this.#renew(renewedAt, signal);
      } catch (error) {
        if (!(error instanceof AbortedError)) throw error;
      }
      leading.abort();
      await led;
      if (signal.aborted) await this.#release();
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    }
  }

  /** When the attempt began that succeeded, monotonic. */
  async #acquire(signal: AbortSignal): Promise<number> {
    const { retryPeriodMs, renewDeadlineMs } = this.#options.timing;
    for (;;) {
      const startedAt = this.#host.clock.monotonic();
      if (await this.#attempt(renewDeadlineMs, signal)) return startedAt;
      const ms = retryPeriodMs * (1 + candidateJitter * this.#chance.unit());
      await pause(this.#host.clock, ms, signal);
    }
  }

  /** One renewal later. Rejects with AbortedError when the lease can no longer be relied on. */
  async #renew(renewedAt: number, signal: AbortSignal): Promise<number> {
    const { retryPeriodMs, renewDeadlineMs } = this.#options.timing;
    for (;;) {
      await pause(this.#host.clock, retryPeriodMs, signal);
      const startedAt = this.#host.clock.monotonic();
      const leftMs = renewedAt + renewDeadlineMs - startedAt;
      if (leftMs <= 0) break;
      if (await this.#attempt(leftMs, signal)) return startedAt;
      if (this.leader !== this.#options.identity) break;
    }
    const { identity } = this.#options;
    this.#host.log.warn("leadership is lost", { identity, leader: this.leader });
    throw new AbortedError("leadership lost");
  }

  /** Whether this process holds the lease now. Refusals and lost connections are a no. */
  async #attempt(withinMs: number, signal: AbortSignal): Promise<boolean> {
    const deadline = withDeadline(this.#host.clock, withinMs, signal);
    try {
      return await this.#claim(deadline.signal);
    } catch (error) {
      if (error instanceof AbortedError && !signal.aborted) return false;
      if (!isCallFailure(error)) throw error;
      return false;
    } finally {
      deadline.cancel();
    }
  }

  async #claim(signal: AbortSignal): Promise<boolean> {
    const { leases, lock } = this.#options;
    const found = await leases.find(lock, { signal });
    if (found === undefined) {
      const metadata = { name: lock.name, namespace: lock.namespace ?? "" };
      const spec = this.#specAfter(undefined);
      this.#observe(await leases.create({ metadata, spec }, { signal }));
      return true;
    }
    this.#observe(found);
    if (this.#isHeldByOther(found.spec)) return false;
    const spec = this.#specAfter(found.spec);
    this.#observe(await leases.update({ ...found, spec }, { signal }));
    return true;
  }

  #observe(lease: Served<Lease>): void {
    if (this.#observed?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) return;
    this.#observed = { lease, at: this.#host.clock.monotonic() };
  }

  #isHeldByOther(spec: LeaseSpec = {}): boolean {
    const { holderIdentity = "", leaseDurationSeconds = 0 } = spec;
    if (holderIdentity === "" || holderIdentity === this.#options.identity) return false;
    const sinceMs = this.#host.clock.monotonic() - (this.#observed?.at ?? 0);
    return sinceMs < leaseDurationSeconds * 1_000;
  }

  #specAfter(before: LeaseSpec | undefined): LeaseSpec {
    const { identity, timing } = this.#options;
    const now = this.#host.clock.now();
    const renewTime = microTimestamp(now);
    const keeps = before?.holderIdentity === identity;
    const transitions = before?.leaseTransitions ?? 0;
    return {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: timing.leaseDurationMs / 1_000,
      acquireTime: keeps ? (before.acquireTime ?? renewTime) : renewTime,
      renewTime,
      leaseTransitions: before === undefined || keeps ? transitions : transitions + 1,
    };
  }

  /** So that the next leader need not wait; if it fails, it waits. */
  async #release(): Promise<void> {
    const { leases, identity, timing } = this.#options;
    const observed = this.#observed?.lease;
    if (observed?.spec?.holderIdentity !== identity) return;
    const spec = { ...this.#specAfter(observed.spec), holderIdentity: "", leaseDurationSeconds: 1 };
    const deadline = withDeadline(this.#host.clock, timing.renewDeadlineMs);
    try {
      this.#observe(await leases.update({ ...observed, spec }, { signal: deadline.signal }));
    } catch (error) {
      this.#host.log.info("lease was not released", { identity, error: String(error) });
    } finally {
      deadline.cancel();
    }
  }
}
