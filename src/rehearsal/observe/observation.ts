// What an observer of a run gives back: gauges for the recorder while it runs, figures when it is over.
import type { Gauge } from "./recorder.ts";

export interface Observation {
  readonly gauges: readonly Gauge[];
  /** Names of figures.ts; asked once, at the end. */
  figures(): Readonly<Record<string, number>>;
}
