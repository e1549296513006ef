// The runaway-owner breaker at work in a server: pods' changes from the watch cache go into the ledger that admission
// asks, and what admission reports becomes an Event on the owner.
import {
  type RunawayGuard,
  type RunawayReport,
  controllerOf,
} from "../access/admission/runaway-owner.ts";
import { runawayLawDefaults } from "../access/runaway-owner/law.ts";
import { OwnerLedger, ownerKey } from "../access/runaway-owner/owner-ledger.ts";
import { courseAtEnd, courseByPhase } from "../access/runaway-owner/pod-course.ts";
import { formatTime } from "../api/codec/time.ts";
import type { KubeObject } from "../api/object.ts";
import { schema } from "../api/schema/schema.ts";
import type { PodStatus } from "../api/types/core-v1.ts";
import type { OwnerReference } from "../api/types/meta-v1.ts";
import type { GaugeSource } from "../apiserver/metrics/metric-registry.ts";
import type { Cancel, Host } from "../host/host.ts";
import type { Registries } from "../registry/registry.ts";
import { parseJson } from "../std/json.ts";
import { Projection } from "../watchcache/projection.ts";
import type { WatchItem } from "../watchcache/resource-cache.ts";
import { Keeper } from "./keeper.ts";
import type { RegistryWriter } from "./registry-writer.ts";
import { decodeUtf8 } from "../std/utf8.ts";

export interface RunawayBreaker {
  readonly guard: RunawayGuard;
  readonly gauges: readonly GaugeSource[];
  start(): Cancel;
}

const component = "wavetank-apiserver";
/** Pods read in one turn of the event loop: the first batch holds all there are. */
const turnPodsMax = 1_000;
/** Of an object's name. */
const nameLengthMax = 253;

/** `limit`: replacements of pods that never ran, see access/runaway-owner/law.ts; positive. */
export function createRunawayBreaker(
  host: Host,
  { registries, writer, limit }: BreakerParts,
): RunawayBreaker {
  const ledger = new OwnerLedger(host.clock, { ...runawayLawDefaults, limit });
  const report = (said: RunawayReport): void => {
    host.log.warn("an owner replaces pods that never run", {
      kind: said.owner.kind,
      namespace: said.namespace,
      name: said.owner.name,
    });
    writer
      .create("events", runawayEvent(said, host.clock.now()))
      .catch((error: unknown) =>
        host.log.warn("event was not written", { component, error: String(error) }),
      );
  };
  return {
    guard: { ledger, report },
    gauges: gaugesOfLedger(ledger),
    start() {
      const feed = new PodFeed(host, ledger);
      const keeper = new Keeper(host, registries, feed);
      keeper.start();
      return () => keeper.stop();
    },
  };
}

export interface BreakerParts {
  readonly registries: Registries;
  readonly writer: RegistryWriter;
  readonly limit: number;
}

/** Reads of each pod event only what tells owner and phase; the rest is skipped unread. */
class PodFeed {
  readonly resource = ["", "pods"] as const;
  readonly fieldSelector = "";
  readonly #host: Host;
  readonly #ledger: OwnerLedger;
  readonly #facts = new Projection([
    "metadata.ownerReferences",
    "metadata.deletionTimestamp",
    "status.phase",
  ]);

  constructor(host: Host, ledger: OwnerLedger) {
    this.#host = host;
    this.#ledger = ledger;
  }

  begin(): void {
    this.#ledger.restart();
  }

  async sync(items: readonly WatchItem[]): Promise<void> {
    for (const [index, item] of items.entries()) {
      if (index > 0 && index % turnPodsMax === 0) await this.#host.clock.turn();
      if (item.type !== "BOOKMARK") this.#see(item.object, item.type === "DELETED");
    }
  }

  #see(
    { key, bytes }: { readonly key: string; readonly bytes: Uint8Array },
    isGone: boolean,
  ): void {
    const { metadata, status } = this.#facts.read(bytes) as PodFacts;
    const owner = controllerOf(metadata?.ownerReferences);
    if (owner === undefined) return this.#ledger.release(key);
    const isGoing = isGone || (metadata?.deletionTimestamp ?? undefined) !== undefined;
    const course = courseByPhase(status?.phase ?? "", isGoing);
    if (course === undefined && !this.#ledger.isWaiting(key)) return;
    const namespace = key.slice(0, key.indexOf("/"));
    this.#ledger.observe(key, ownerKey(namespace, owner.uid), course ?? this.#atEnd(bytes));
  }

  #atEnd(bytes: Uint8Array): "Waiting" | "Ran" | "Ended" {
    const pod = parseJson(decodeUtf8(bytes)) as KubeObject;
    return courseAtEnd(pod["status"] as PodStatus | undefined);
  }
}

interface PodFacts {
  readonly metadata?: {
    readonly ownerReferences?: readonly OwnerReference[];
    readonly deletionTimestamp?: string | null;
  };
  readonly status?: { readonly phase?: string };
}

/** As client-go's recorder makes it, so that `kubectl describe` of the owner shows it. */
function runawayEvent({ owner, namespace, message }: RunawayReport, now: number): KubeObject {
  const { kind, apiVersion, name, uid } = owner;
  const inNamespace = isNamespaced(owner) ? namespace : "default";
  const suffix = `.${(BigInt(now) * 1_000_000n).toString(16)}`;
  const time = formatTime({ seconds: Math.floor(now / 1_000), nanos: 0 });
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: {
      name: `${name.slice(0, nameLengthMax - suffix.length)}${suffix}`,
      namespace: inNamespace,
    },
    involvedObject: {
      kind,
      ...(isNamespaced(owner) ? { namespace } : {}),
      name,
      uid,
      apiVersion,
    },
    reason: "RunawayOwner",
    message,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: "Warning",
    reportingComponent: component,
    reportingInstance: "",
  };
}

/** Kinds that we do not know (custom resources) own pods of their own namespace, as nearly all do. */
function isNamespaced({ kind, apiVersion }: OwnerReference): boolean {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const known = schema.resources.find((one) => one.kind === kind && one.group === group);
  return known?.namespaced ?? true;
}

function gaugesOfLedger(ledger: OwnerLedger): GaugeSource[] {
  return [
    {
      name: "wavetank_runaway_owner_refused_total",
      help: "Creates of pods refused because their owner's pods end before they run.",
      type: "counter",
      labels: ["kind"],
      read: () => [...ledger.refused].map(([kind, count]) => [[kind], count] as const),
    },
    {
      name: "wavetank_runaway_owners",
      help: "Owners that are refused now.",
      labels: [],
      read: () => [[[], ledger.runaways] as const],
    },
  ];
}
