// Priority and Fairness at work in a server: its objects are followed through the watch cache, their status is written,
// and what the server starts with is put back when somebody took it away (upstream: the config producer and consumer).
import { flowControlObjects } from "../access/bootstrap-objects.ts";
import { reconcileBootstrap } from "../access/bootstrap-reconcile.ts";
import type { KubeObject } from "../api/object.ts";
import { timestamp } from "../api/meta/timestamp.ts";
import type { GaugeSource, HistogramSource } from "../apiserver/metrics/metric-registry.ts";
import type { DebugPage } from "../apiserver/parts.ts";
import { type DumpName, dump } from "../flowcontrol/dump.ts";
import { FlowControl } from "../flowcontrol/flow-control.ts";
import type { Gate } from "../flowcontrol/flow-pass.ts";
import type { StatusWish } from "../flowcontrol/flow-schema.ts";
import { MaxInFlight } from "../flowcontrol/max-in-flight.ts";
import { flowFamilies } from "../flowcontrol/metric-families.ts";
import { type FlowControlProfile, wavetankFlowControl } from "../flowcontrol/profile.ts";
import { ResourceSizes } from "../flowcontrol/resource-size.ts";
import type { Cancel, Host } from "../host/host.ts";
import type { Registries } from "../registry/registry.ts";
import type { ResourceCache } from "../watchcache/resource-cache.ts";
import type { CachedObjectReader } from "./cached-object-reader.ts";
import { Keeper } from "./keeper.ts";
import type { RegistryWriter } from "./registry-writer.ts";

export interface FlowControlChoice {
  /** False: only the numbers of requests in flight are limited. */
  readonly enabled: boolean;
  readonly profile: FlowControlProfile;
  /** Kubernetes minor whose objects the server starts with. */
  readonly minor: number;
  /** Requests at once that only read; 0: any number, where Priority and Fairness is off. */
  readonly maxRequestsInFlight: number;
  readonly maxMutatingRequestsInFlight: number;
}

/** As kube-apiserver. */
const inFlightDefaults = { maxRequestsInFlight: 400, maxMutatingRequestsInFlight: 200 };

/** What a server has when nobody asks for another. */
export const usualFlowControl: FlowControlChoice = {
  ...inFlightDefaults,
  enabled: true,
  profile: wavetankFlowControl,
  minor: 36,
};

export interface FlowControlParts {
  /** Of the server. */
  readonly requestTimeoutMs: number;
  readonly caches: readonly ResourceCache[];
  readonly registries: Registries;
  readonly reader: CachedObjectReader;
  readonly writer: RegistryWriter;
}

/** What of it the server is made of. */
export interface RunningFlowControl {
  readonly gate: Gate;
  readonly gauges: readonly GaugeSource[];
  readonly histograms: readonly HistogramSource[];
  readonly debugPages: readonly DebugPage[];
  /** The objects are there: what they say holds from now on, and is followed. */
  start(): Cancel;
}

const group = "flowcontrol.apiserver.k8s.io";
const schemaResource = `flowschemas.${group}`;
const levelResource = `prioritylevelconfigurations.${group}`;
/** Between two looks at whether the server's own objects are as they should be. */
const upkeepMs = 60_000;

export function createFlowControl(
  host: Host,
  choice: FlowControlChoice,
  parts: FlowControlParts,
): RunningFlowControl {
  const upkeep = (): Cancel => startUpkeep(host, choice, parts);
  if (!choice.enabled) {
    const gate = new MaxInFlight({
      reading: choice.maxRequestsInFlight,
      mutating: choice.maxMutatingRequestsInFlight,
    });
    return { gate, gauges: [], histograms: [], debugPages: [], start: upkeep };
  }
  const flowControl = new FlowControl(host, {
    profile: choice.profile,
    seats: choice.maxRequestsInFlight + choice.maxMutatingRequestsInFlight,
    requestTimeoutMs: parts.requestTimeoutMs,
    sizes: new ResourceSizes(parts.caches),
  });
  const families = flowFamilies(flowControl, () => host.clock.monotonic());
  return {
    gate: flowControl,
    gauges: families.numbers,
    histograms: families.histograms,
    debugPages: debugPages(host, flowControl),
    start() {
      const ends = [flowControl.start(), follow(host, parts, flowControl), upkeep()];
      return () => ends.forEach((end) => end());
    },
  };
}

function debugPages({ clock }: Host, flowControl: FlowControl): DebugPage[] {
  const names: readonly DumpName[] = ["dump_priority_levels", "dump_queues", "dump_requests"];
  return names.map((name) => ({
    path: `/debug/api_priority_and_fairness/${name}`,
    text: (query) =>
      dump(name, {
        levels: [...flowControl.levels.values()],
        details: (query("includeRequestDetails") ?? "") !== "",
        epochMs: clock.now() - clock.monotonic(),
      }),
  }));
}

function follow(host: Host, parts: FlowControlParts, flowControl: FlowControl): Cancel {
  const { reader } = parts;
  const load = (): readonly StatusWish[] =>
    flowControl.configure(reader.list(levelResource, ""), reader.list(schemaResource, ""));
  load();
  const keepers = ["flowschemas", "prioritylevelconfigurations"].map(
    (resource) =>
      new Keeper(host, parts.registries, {
        resource: [group, resource],
        fieldSelector: "",
        begin: () => {},
        sync: async () => {
          for (const wish of load()) await writeStatus(host, parts.writer, wish);
        },
      }),
  );
  for (const keeper of keepers) keeper.start();
  return () => keepers.forEach((keeper) => keeper.stop());
}

async function writeStatus(
  { clock }: Host,
  writer: RegistryWriter,
  { object, condition }: StatusWish,
): Promise<void> {
  const others = object.status?.conditions?.filter(({ type }) => type !== condition.type) ?? [];
  const lastTransitionTime = timestamp(clock.now());
  const status = { conditions: [...others, { ...condition, lastTransitionTime }] };
  await writer.updateStatus(schemaResource, { ...(object as KubeObject), status });
}

/** Mandatory objects as they must be; suggested ones unless their annotation gave them to the administrator. */
function startUpkeep(
  host: Host,
  { minor }: FlowControlChoice,
  { reader, writer }: FlowControlParts,
): Cancel {
  let cancel: Cancel = () => {};
  let stopped = false;
  const again = (): void => {
    cancel = host.clock.after(upkeepMs, () => {
      const wanted = flowControlObjects(timestamp(host.clock.now()), minor);
      reconcileBootstrap(wanted, reader, writer)
        .catch((error: unknown) =>
          host.log.warn("FlowSchemas and priority levels were not kept up", {
            error: String(error),
          }),
        )
        .finally(() => {
          if (!stopped) again();
        });
    });
  };
  again();
  return () => {
    stopped = true;
    cancel();
  };
}
