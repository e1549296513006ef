// The one Endpoints object of a Service: the older, single list of what its EndpointSlices say, cut off at a thousand
// addresses (upstream: pkg/controller/endpoint/endpoints_controller.go).
import type { EndpointAddress, Endpoints, Pod, Service } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { equalJson } from "../../std/json.ts";
import { portsAt } from "../endpoint-slice/ports.ts";
import { headlessLabel } from "../endpoint-slice/profile.ts";
import { hostnameIn, ipsOf, isIPv6, isReachable } from "../endpoint-slice/service-pods.ts";
import { withTriggerTime } from "../endpoint-slice/trigger-times.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import { type Reached, repack, truncate } from "./repack.ts";

export const endpointsCapacity = 1_000;

const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";
export const managedByLabel = "endpoints.kubernetes.io/managed-by";
const managedBy = "endpoint-controller";

export interface EndpointsView {
  readonly service: Readonly<Served<Service>>;
  /** Those that the selector finds. */
  readonly pods: readonly Readonly<Served<Pod>>[];
  readonly current: Readonly<Served<Endpoints>> | undefined;
  /** What is written says so. */
  readonly triggerTime: string | undefined;
}

export type EndpointsPlan =
  | { readonly do: "nothing" }
  | { readonly do: "create" | "update"; readonly endpoints: Endpoints };

export function planEndpoints(view: EndpointsView): EndpointsPlan {
  const { service, pods, current, triggerTime } = view;
  const whole = repack(reachedOf(service, pods));
  const cut = truncate(whole, endpointsCapacity);
  const subsets = cut ?? whole;
  const labels = labelsOf(service);
  const kept = annotationsOf(current, cut !== undefined);
  const annotations = withTriggerTime(kept, triggerTime);
  if (current === undefined) {
    const { name, namespace } = service.metadata;
    return {
      do: "create",
      endpoints: { metadata: { name, namespace: namespace!, labels, annotations }, subsets },
    };
  }
  const same =
    equalJson(current.subsets ?? [], subsets) &&
    equalJson(current.metadata.labels ?? {}, labels) &&
    equalJson(
      withTriggerTime(current.metadata.annotations, undefined),
      withTriggerTime(kept, undefined),
    );
  if (same) return { do: "nothing" };
  const metadata = { ...current.metadata, labels, annotations };
  return { do: "update", endpoints: { ...current, metadata, subsets } };
}

function annotationsOf(current: Endpoints | undefined, truncated: boolean): Record<string, string> {
  const { [overCapacityAnnotation]: _, ...others } = current?.metadata.annotations ?? {};
  return truncated ? { ...others, [overCapacityAnnotation]: "truncated" } : others;
}

function reachedOf(service: Service, pods: readonly Pod[]): Reached[] {
  const tolerant = service.spec?.publishNotReadyAddresses === true;
  return pods.flatMap((pod) => {
    if (!isReachable(pod) || (isTerminating(pod) && !tolerant)) return [];
    const address = addressOf(service, pod);
    if (address === undefined) return [];
    const ports = portsAt(service, pod);
    // A headless Service may do without ports; any other is not reached where it has none.
    if (ports.length === 0 && (service.spec?.ports ?? []).length > 0) return [];
    return [{ address, ports, ready: tolerant || isReady(pod) }];
  });
}

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  const wantsIPv6 = ipFamilies.length > 0 ? ipFamilies[0] === "IPv6" : isIPv6(clusterIP);
  const ip = ipsOf(pod).find((one) => isIPv6(one) === wantsIPv6);
  if (ip === undefined) return undefined;
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  const nodeName = pod.spec?.nodeName;
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined || nodeName === "" ? {} : { nodeName }),
    targetRef: { kind: "Pod", namespace: namespace!, name: name!, uid: uid! },
  };
}

function labelsOf({ metadata, spec }: Service): Record<string, string> {
  const { [headlessLabel]: _, ...own } = metadata.labels ?? {};
  return {
    ...own,
    ...(spec?.clusterIP === "None" ? { [headlessLabel]: "" } : {}),
    [managedByLabel]: managedBy,
  };
}
