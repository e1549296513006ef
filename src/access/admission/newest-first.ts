// The order in which default classes are preferred: the newest, of equally old ones the first by name.
import type { KubeObject } from "../../api/object.ts";

export function newestFirst(a: Readonly<KubeObject>, b: Readonly<KubeObject>): number {
  const timeOf = ({ metadata }: Readonly<KubeObject>): number =>
    Date.parse(metadata.creationTimestamp ?? "") || 0;
  return timeOf(b) - timeOf(a) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);
}
