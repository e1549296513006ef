// Counts the audit events that are lost, by the part that lost them, and says so now and then.
import type { Clock, Log } from "../../host/host.ts";

/** As kube-apiserver's metric names them. */
export const losers = ["log", "webhook", "buffered", "truncate"] as const;
export type Loser = (typeof losers)[number];

/** Between two words about the same part. */
const silentMs = 10_000;

export class LostEvents {
  readonly counts: Record<Loser, number> = { log: 0, webhook: 0, buffered: 0, truncate: 0 };
  readonly #host: { readonly clock: Clock; readonly log: Log };
  readonly #saidAt = new Map<Loser, number>();

  constructor(host: { readonly clock: Clock; readonly log: Log }) {
    this.#host = host;
  }

  add(plugin: Loser, count: number, why: string): void {
    this.counts[plugin] += count;
    const now = this.#host.clock.monotonic();
    if (now - (this.#saidAt.get(plugin) ?? -Infinity) < silentMs) return;
    this.#saidAt.set(plugin, now);
    this.#host.log.error("audit events lost", { plugin, total: this.counts[plugin], error: why });
  }
}
