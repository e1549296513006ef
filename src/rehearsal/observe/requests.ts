// What the API servers were asked and what they said, as the network saw it; and the watches that are open.
import type { Clock } from "../../host/host.ts";
import type { Answered, Network } from "../world/network.ts";
import type { Observation } from "./observation.ts";

export function observeRequests(network: Network, clock: Clock): Observation {
  const counts = { total: 0, refused: 0, failed: 0, lists: 0, objectLists: 0 };
  const created = new Pace(clock);
  const watches = { open: 0, peak: 0, objects: 0, objectsPeak: 0, nodePeak: 0 };
  const byNode = new Map<string, number>();
  const count = ({ request, status }: Answered): void => {
    counts.total++;
    if (status === 429) counts.refused++;
    if (status >= 500) counts.failed++;
    if (request.method === "GET" && isList(request.target)) {
      counts.lists++;
      if (isOfOneObject(request.target)) counts.objectLists++;
    }
    if (request.method === "POST" && status === 201 && isPods(request.target)) created.note();
  };
  network.onExchange((answered) => {
    count(answered);
    const { method, target, peer } = answered.request;
    const node = peer.certificate?.commonName ?? "";
    if (method !== "GET" || answered.status !== 200 || !target.includes("watch=true"))
      return undefined;
    const ofObject = isOfOneObject(target);
    watches.open++;
    if (ofObject) {
      watches.objects++;
      byNode.set(node, (byNode.get(node) ?? 0) + 1);
      watches.nodePeak = Math.max(watches.nodePeak, byNode.get(node) ?? 0);
    }
    watches.peak = Math.max(watches.peak, watches.open);
    watches.objectsPeak = Math.max(watches.objectsPeak, watches.objects);
    return () => {
      watches.open--;
      if (!ofObject) return;
      watches.objects--;
      byNode.set(node, (byNode.get(node) ?? 0) - 1);
    };
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

function isList(target: string): boolean {
  return collection.test(target) && !target.includes("watch=true");
}

function isPods(target: string): boolean {
  return collection.exec(target)?.[1] === "pods";
}

function isOfOneObject(target: string): boolean {
  const resource = collection.exec(target)?.[1];
  return (
    (resource === "secrets" || resource === "configmaps") &&
    target.includes("fieldSelector=metadata.name%3D")
  );
}
