// What a request cost, as annotations of its last audit event: `cost.wavetank.dev/objects-scanned: "7130"`. Zeros are
// left out.
import type { RequestCost } from "../../api/request-cost.ts";

const prefix = "cost.wavetank.dev/";

export function costAnnotations(cost: RequestCost): (readonly [name: string, value: string])[] {
  const figures: Readonly<Record<string, number>> = {
    "objects-scanned": cost.objectsScanned,
    "objects-returned": cost.objectsReturned,
    "store-reads": cost.storeReads,
    "store-objects": cost.storeObjects,
    "store-bytes": cost.storeBytes,
    "store-writes": cost.storeWrites,
    "bytes-in": cost.bytesIn,
    "bytes-out": cost.bytesOut,
    "events-delivered": cost.eventsDelivered,
    seats: cost.seats,
    "queue-wait-ms": Math.round(cost.queueWaitMs),
    "cpu-us": Math.round(cost.cpuMs * 1_000),
  };
  return Object.entries(figures)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => [prefix + name, String(value)]);
}
