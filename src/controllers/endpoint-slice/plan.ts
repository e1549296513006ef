// Which slices describe the pods behind a Service, with as few writes as can be: slices stay as they are while their
// endpoints do, those that change anyway take what is new, and one that is to go is reused for one that is to come
// (upstream: staging/src/k8s.io/endpointslice/reconciler.go).
import type { Node, Pod, Service } from "../../api/types/core-v1.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../api/types/discovery-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { equalJson } from "../../std/json.ts";
import { controllerRefTo } from "../pods/controller-ref.ts";
import { type AddressType, endpointKey, endpointOf } from "./endpoint.ts";
import { type ResolvedPort, portsAt, portsKey } from "./ports.ts";
import {
  endpointSliceProfile,
  headlessLabel,
  managedBy,
  managedByLabel,
  serviceNameLabel,
} from "./profile.ts";
import { isIPv6, isReachable } from "./service-pods.ts";
import { withTriggerTime } from "./trigger-times.ts";

export interface ServiceView {
  readonly service: Readonly<Served<Service>>;
  /** Those that the selector finds. */
  readonly pods: readonly Readonly<Served<Pod>>[];
  /** Those of the Service that this controller manages. */
  readonly slices: readonly Readonly<Served<EndpointSlice>>[];
  readonly findNode: (name: string) => Node | undefined;
  /** What is written says so. */
  readonly triggerTime: string | undefined;
}

export interface SlicePlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly Readonly<Served<EndpointSlice>>[];
}

type Slice = Readonly<Served<EndpointSlice>>;

const { endpointsPerSliceMax } = endpointSliceProfile;

export function planSlices(view: ServiceView): SlicePlan {
  const types = addressTypesOf(view.service);
  const plans = types.map((type) => planType(view, type));
  const foreign = view.slices.filter(({ addressType }) => !types.includes(addressType as never));
  const timed = (slice: EndpointSlice) => withTime(slice, view.triggerTime);
  return {
    create: plans.flatMap((plan) => plan.create).map(timed),
    update: plans.flatMap((plan) => plan.update).map(timed),
    delete: [...foreign, ...plans.flatMap((plan) => plan.delete)],
  };
}

function withTime(slice: EndpointSlice, time: string | undefined): EndpointSlice {
  const annotations = withTriggerTime(slice.metadata.annotations, time);
  if (Object.keys(annotations).length > 0)
    return { ...slice, metadata: { ...slice.metadata, annotations } };
  const { annotations: _, ...metadata } = slice.metadata;
  return { ...slice, metadata };
}

/** Endpoints that share a set of ports share slices. */
interface Group {
  readonly ports: readonly ResolvedPort[];
  /** By endpointKey. */
  readonly endpoints: Map<string, Endpoint>;
}

function planType(view: ServiceView, addressType: AddressType): SlicePlan {
  const groups = groupEndpoints(view, addressType);
  const mine = view.slices.filter((slice) => slice.addressType === addressType);
  const plan = {
    create: [] as EndpointSlice[],
    update: [] as EndpointSlice[],
    delete: [] as Slice[],
  };
  const labels = labelsOf(view.service);
  const blank = (ports: readonly ResolvedPort[]) => blankSlice(view.service, addressType, ports);
  for (const [key, group] of groups) {
    const existing = mine.filter((slice) => portsKey(resolved(slice.ports)) === key);
    fillGroup(group, { existing, labels, blank: () => blank(group.ports) }, plan);
  }
  plan.delete.push(...mine.filter((slice) => !groups.has(portsKey(resolved(slice.ports)))));
  keepOne(mine, plan, blank([]));
  return reuse(plan);
}

function groupEndpoints(view: ServiceView, addressType: AddressType): Map<string, Group> {
  const { service, pods } = view;
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    if (!isReachable(pod)) continue;
    const nodeName = pod.spec?.nodeName ?? "";
    const node = nodeName === "" ? undefined : view.findNode(nodeName);
    // A pod of a node that is gone is about to go, too.
    const lost = nodeName !== "" && node === undefined;
    if (lost && service.spec?.publishNotReadyAddresses !== true) continue;
    const endpoint = endpointOf(service, pod, { addressType, node });
    if (endpoint === undefined) continue;
    const ports = portsAt(service, pod);
    const key = portsKey(ports);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { ports, endpoints: new Map() }));
    group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return groups;
}

interface Filling {
  readonly existing: readonly Slice[];
  readonly labels: Record<string, string>;
  readonly blank: () => EndpointSlice;
}

/** Takes the group's endpoints out as they find their places. */
function fillGroup(
  { endpoints }: Group,
  { existing, labels, blank }: Filling,
  plan: { create: EndpointSlice[]; update: EndpointSlice[]; delete: Slice[] },
): void {
  const changed: EndpointSlice[] = [];
  const unchanged = new Set<Slice>();
  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const kept = takeKept(before, endpoints);
    const same = equalJson(kept, before) && equalJson(slice.metadata.labels, labels);
    if (same) unchanged.add(slice);
    else if (kept.length === 0) plan.delete.push(slice);
    else changed.push(withContent(slice, labels, kept));
  }
  changed.sort((a, b) => (b.endpoints?.length ?? 0) - (a.endpoints?.length ?? 0));
  for (const slice of changed) takeInto(slice, endpoints);
  plan.update.push(...changed);
  while (endpoints.size > 0) {
    const roomy =
      endpoints.size < endpointsPerSliceMax ? bestFit(unchanged, endpoints.size) : undefined;
    const slice =
      roomy === undefined ? blank() : withContent(roomy, labels, [...(roomy.endpoints ?? [])]);
    takeInto(slice, endpoints);
    if (roomy === undefined) plan.create.push(slice);
    else {
      unchanged.delete(roomy);
      plan.update.push(slice);
    }
  }
}

/** What of a slice is still wanted, as it is wanted now. */
function takeKept(before: readonly Endpoint[], wanted: Map<string, Endpoint>): Endpoint[] {
  return before.flatMap((old) => {
    const key = endpointKey(old);
    const endpoint = wanted.get(key);
    wanted.delete(key);
    return endpoint === undefined ? [] : [endpoint];
  });
}

function takeInto(slice: EndpointSlice, wanted: Map<string, Endpoint>): void {
  const endpoints = (slice.endpoints ??= []);
  for (const [key, endpoint] of wanted) {
    if (endpoints.length >= endpointsPerSliceMax) return;
    wanted.delete(key);
    endpoints.push(endpoint);
  }
}

/** The fullest slice that has room for all. */
function bestFit(slices: Iterable<Slice>, count: number): Slice | undefined {
  let best: Slice | undefined;
  for (const slice of slices) {
    const size = slice.endpoints?.length ?? 0;
    if (size + count > endpointsPerSliceMax) continue;
    if (best === undefined || size > (best.endpoints?.length ?? 0)) best = slice;
  }
  return best;
}

/** A Service without endpoints still has one slice, which says so. */
function keepOne(
  mine: readonly Slice[],
  plan: { create: EndpointSlice[]; delete: Slice[] },
  placeholder: EndpointSlice,
): void {
  if (plan.create.length > 0 || plan.delete.length < mine.length) return;
  const [only] = plan.delete;
  const stays =
    plan.delete.length === 1 &&
    (only!.ports ?? []).length === 0 &&
    (only!.endpoints ?? []).length === 0 &&
    equalJson(only!.metadata.labels, placeholder.metadata.labels);
  if (stays) plan.delete = [];
  else plan.create.push(placeholder);
}

/** An update costs watchers less than a deletion and a creation. */
function reuse(plan: SlicePlan): SlicePlan {
  const count = Math.min(plan.create.length, plan.delete.length);
  const recycled = plan.create
    .slice(0, count)
    .map((slice, index) => inPlaceOf(plan.delete[index]!, slice));
  return {
    create: plan.create.slice(count),
    update: [...plan.update, ...recycled],
    delete: plan.delete.slice(count),
  };
}

function inPlaceOf(old: Slice, slice: EndpointSlice): EndpointSlice {
  const { name, resourceVersion } = old.metadata;
  const { generateName: _, ...metadata } = slice.metadata;
  return { ...slice, metadata: { ...metadata, name, resourceVersion } };
}

function withContent(
  slice: Slice,
  labels: Record<string, string>,
  endpoints: Endpoint[],
): EndpointSlice {
  return { ...slice, metadata: { ...slice.metadata, labels }, endpoints };
}

function blankSlice(
  service: Readonly<Served<Service>>,
  addressType: AddressType,
  ports: readonly ResolvedPort[],
): EndpointSlice {
  const { name, namespace } = service.metadata;
  return {
    metadata: {
      generateName: `${name}-`,
      namespace: namespace!,
      labels: labelsOf(service),
      ownerReferences: [
        controllerRefTo({ apiVersion: "v1", kind: "Service", metadata: service.metadata }),
      ],
    },
    addressType,
    endpoints: [],
    ports: ports.map((port): EndpointPort => ({ ...port })),
  };
}

function labelsOf({ metadata, spec }: Service): Record<string, string> {
  const { [headlessLabel]: _, ...own } = metadata.labels ?? {};
  return {
    ...own,
    ...(spec?.clusterIP === "None" ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: metadata.name!,
    [managedByLabel]: managedBy,
  };
}

function addressTypesOf({ spec }: Service): AddressType[] {
  const families = spec?.ipFamilies ?? [];
  if (families.length > 0) return families as AddressType[];
  const clusterIP = spec?.clusterIP ?? "";
  if (clusterIP === "" || clusterIP === "None") return ["IPv4", "IPv6"];
  return [isIPv6(clusterIP) ? "IPv6" : "IPv4"];
}

/** Servers print an empty list as null. */
function resolved(ports: readonly EndpointPort[] | null | undefined): ResolvedPort[] {
  return (ports ?? []).map(resolvedPort);
}

function resolvedPort({
  name = "",
  port = 0,
  protocol = "TCP",
  appProtocol,
}: EndpointPort): ResolvedPort {
  return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
}
