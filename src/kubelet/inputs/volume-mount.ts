// One volume of one pod on its way to being mounted: read, and when that fails read again later and later (upstream:
// reconciler and nestedpendingoperations; exponentialbackoff.go). Tells a listener what it has to say and when it is done.
import type { Cancel, Clock } from "../../host/host.ts";
import type { Reading } from "../objects/object-source.ts";
import type { MountLaw } from "../profile.ts";
import { type SourceNeed, type VolumeNeed, mountFailure } from "./volume-need.ts";

export interface MountListener {
  read(source: SourceNeed): Reading | Promise<Reading>;
  /** The event FailedMount. */
  failed(message: string): void;
  mounted(): void;
}

export class VolumeMount {
  readonly need: VolumeNeed;
  readonly #clock: Clock;
  readonly #law: MountLaw;
  readonly #listener: MountListener;
  #isMounted = false;
  #delayMs = 0;
  #timer: Cancel = () => undefined;
  /** Attempts that began before do not count any more. */
  #round = 0;

  constructor(
    clock: Clock,
    need: VolumeNeed,
    { law, listener }: { readonly law: MountLaw; readonly listener: MountListener },
  ) {
    this.#clock = clock;
    this.need = need;
    this.#law = law;
    this.#listener = listener;
  }

  get isMounted(): boolean {
    return this.#isMounted;
  }

  /** Begins to try; tells `mounted` before it returns when everything is known. */
  begin(): void {
    this.stop();
    this.#delayMs = 0;
    this.#attempt();
  }

  /** A mounted volume follows its objects: they are read again, and missing ones are told of. */
  refresh(): void {
    if (this.#isMounted && this.#delayMs === 0) this.#attempt();
  }

  stop(): void {
    this.#round++;
    this.#timer();
  }

  /** What was mounted is gone. */
  lose(): void {
    this.stop();
    this.#isMounted = false;
  }

  #attempt(): void {
    const round = this.#round;
    const known: Reading[] = [];
    const coming = this.need.sources.map((source) => this.#listener.read(source));
    for (const reading of coming) if (!(reading instanceof Promise)) known.push(reading);
    if (known.length === coming.length) return this.#settle(known);
    void Promise.all(coming.map((reading) => Promise.resolve(reading))).then((all) => {
      if (round === this.#round) this.#settle(all);
    });
  }

  #settle(readings: readonly Reading[]): void {
    const why = mountFailure(this.need, readings);
    if (why !== undefined) return this.#fail(why);
    this.#delayMs = 0;
    if (this.#isMounted) return;
    this.#isMounted = true;
    this.#listener.mounted();
  }

  #fail(why: string): void {
    const { initialMs, maxMs } = this.#law;
    this.#delayMs = this.#delayMs === 0 ? initialMs : Math.min(maxMs, this.#delayMs * 2);
    this.#timer();
    this.#timer = this.#clock.after(this.#delayMs, () => this.#attempt());
    this.#listener.failed(
      `MountVolume.SetUp failed for volume ${JSON.stringify(this.need.volume)} : ${why}`,
    );
  }
}
