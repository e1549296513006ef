// What this controller wrote and its view may not show yet. To plan from an older view would make slices twice
// (upstream: EndpointSliceTracker).
import type { EndpointSlice } from "../../api/types/discovery-v1.ts";
import type { Served } from "../../client/served-object.ts";

type Slice = Readonly<Served<EndpointSlice>>;

export class WrittenSlices {
  /** By Service, then by the slice's UID: the revision of our last write; a deletion is Infinity. */
  readonly #written = new Map<string, Map<string, number>>();

  wrote(service: string, slice: Slice): void {
    this.#of(service).set(slice.metadata.uid, Number(slice.metadata.resourceVersion));
  }

  deleted(service: string, slice: Slice): void {
    this.#of(service).set(slice.metadata.uid, Number.POSITIVE_INFINITY);
  }

  /** The view saw it go. */
  sawDeletion(service: string, slice: Slice): void {
    this.#written.get(service)?.delete(slice.metadata.uid);
  }

  forget(service: string): void {
    this.#written.delete(service);
  }

  /** Whether `slices` show all that was written. */
  shownBy(service: string, slices: readonly Slice[]): boolean {
    const seen = new Map(
      slices.map(({ metadata }) => [metadata.uid, Number(metadata.resourceVersion)]),
    );
    for (const [uid, revision] of this.#written.get(service) ?? []) {
      if (revision === Number.POSITIVE_INFINITY ? seen.has(uid) : (seen.get(uid) ?? 0) < revision)
        return false;
    }
    return true;
  }

  #of(service: string): Map<string, number> {
    let written = this.#written.get(service);
    if (written === undefined) this.#written.set(service, (written = new Map()));
    return written;
  }
}
