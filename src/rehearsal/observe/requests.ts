// What the API servers were asked and what they said, as the network saw it; and the watches that are open.
import { verbOf } from "../../client/request-verb.ts";
import type { Clock } from "../../host/host.ts";
import type { Answered, Network } from "../world/network.ts";
import type { Observation } from "./observation.ts";
import { OpenWatches } from "./open-watches.ts";

export function observeRequests(network: Network, clock: Clock): Observation {
  const counts = { total: 0, refused: 0, failed: 0, lists: 0, objectLists: 0 };
  const created = new Pace(clock);
  const watches = new OpenWatches();
  const count = ({ request, status }: Answered, verb: string): void => {
    const { target } = request;
    counts.total++;
    if (status === 429) counts.refused++;
    if (status >= 500) counts.failed++;
    if (verb === "LIST") {
      counts.lists++;
      if (isOfOneObject(target)) counts.objectLists++;
    }
    if (verb === "CREATE" && status === 201 && collectionOf(target) === "pods") created.note();
  };
  network.onExchange((answered) => {
    const { method, target, peer } = answered.request;
    const verb = verbOf(method, target);
    count(answered, verb);
    if (verb !== "WATCH" || answered.status !== 200) return undefined;
    const watch = { node: peer.certificate?.commonName ?? "", ofObject: isOfOneObject(target) };
    watches.begin(watch);
    return () => watches.end(watch);
  });
  return {
    gauges: [
      {
        chart: "Requests",
        name: "answered",
        unit: "perSecond",
        kind: "growth",
        read: () => counts.total,
      },
      {
        chart: "Refused with 429",
        name: "refused",
        unit: "perSecond",
        kind: "growth",
        read: () => counts.refused,
      },
      {
        chart: "Watches",
        name: "of single objects",
        unit: "count",
        kind: "asIs",
        read: () => watches.objects,
      },
      { chart: "Watches", name: "open", unit: "count", kind: "asIs", read: () => watches.open },
    ],
    figures: () => ({
      "requests.total": counts.total,
      "requests.refused": counts.refused,
      "requests.failed": counts.failed,
      "requests.lists": counts.lists,
      "pods.created": created.count,
      "pods.rate": created.perSecond,
      "watches.peak": watches.peak,
      "watches.end": watches.open,
      "watches.objects.peak": watches.objectsPeak,
      "watches.objects.end": watches.objects,
      "watches.objects.node": watches.nodePeak,
      "lists.objects": counts.objectLists,
    }),
  };
}

/** How often something happened, and how fast from the first time to the last. */
class Pace {
  count = 0;
  readonly #clock: Clock;
  #first = 0;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(): void {
    this.#last = this.#clock.monotonic();
    if (this.count === 0) this.#first = this.#last;
    this.count++;
  }

  get perSecond(): number {
    return this.count < 2 ? 0 : ((this.count - 1) * 1_000) / (this.#last - this.#first);
  }
}

const collection = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/?]+)?\/([a-z]+)(?:\?|$)/;

/** The plural name in the path of all objects of a kind. */
function collectionOf(target: string): string | undefined {
  return collection.exec(target)?.[1];
}

function isOfOneObject(target: string): boolean {
  const resource = collectionOf(target);
  return (
    (resource === "secrets" || resource === "configmaps") &&
    target.includes("fieldSelector=metadata.name%3D")
  );
}
