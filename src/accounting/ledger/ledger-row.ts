// A row as it is shown: plain data, what findings judge and the API serves.
import type { Counts } from "./counters.ts";
import type { Client, Shape } from "./shape.ts";

export interface LedgerRow {
  readonly client: Client;
  readonly shape: Shape;
  readonly window: Counts;
  readonly total: Counts;
  readonly watchesOpen: number;
  /** Most requests that came within one second of the window. */
  readonly peakPerSecond: number;
  /** In requests' worth; of the window. */
  readonly load: number;
  /** 0: the row has counted all this client ever did. Else what it may have done, in requests' worth, before. */
  readonly loadBefore: number;
}
