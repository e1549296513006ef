// One pod as an endpoint of one Service: its conditions, where it runs, and by what name.
import type { Node, Pod, Service } from "../../api/types/core-v1.ts";
import type { Endpoint } from "../../api/types/discovery-v1.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import { hostnameIn, ipsOf, isIPv6 } from "./service-pods.ts";
import { zoneLabel } from "./profile.ts";

export type AddressType = "IPv4" | "IPv6";

/** Undefined when the pod has no address of the type. `node` is where it runs. */
export function endpointOf(
  service: Service,
  pod: Pod,
  at: { readonly addressType: AddressType; readonly node: Node | undefined },
): Endpoint | undefined {
  const addresses = ipsOf(pod).filter((ip) => isIPv6(ip) === (at.addressType === "IPv6"));
  if (addresses.length === 0) return undefined;
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata;
  const nodeName = pod.spec?.nodeName;
  const hostname = hostnameIn(service, pod);
  const zone = at.node?.metadata.labels?.[zoneLabel];
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: "Pod", namespace: namespace!, name: name!, uid: uid! },
    ...(nodeName === undefined || nodeName === "" ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
  };
}

/** The same for what is the same endpoint, in whatever condition. */
export function endpointKey({ addresses = [], hostname = "", targetRef }: Endpoint): string {
  const { namespace = "", name = "" } = targetRef ?? {};
  return JSON.stringify([addresses.toSorted(), hostname, namespace, name]);
}
