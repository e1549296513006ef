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
  readonly #said = new Map<Loser, { readonly at: number; readonly total: number }>();

  constructor(host: { readonly clock: Clock; readonly log: Log }) {
    this.#host = host;
  }

  add(plugin: Loser, count: number, why: string): void {
    this.counts[plugin] += count;
    const said = this.#said.get(plugin);
    if (said !== undefined && this.#host.clock.monotonic() - said.at < silentMs) return;
    this.#say(plugin, why);
  }

  /** Says what is still unsaid. */
  close(): void {
    for (const [plugin, { total }] of this.#said)
      if (this.counts[plugin] > total) this.#say(plugin, "at the end");
  }

  #say(plugin: Loser, error: string): void {
    const total = this.counts[plugin];
    this.#said.set(plugin, { at: this.#host.clock.monotonic(), total });
    this.#host.log.error("audit events lost", { plugin, total, error });
  }
}
