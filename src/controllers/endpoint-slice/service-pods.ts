// Which pods stand behind a Service, and so which Services a change of a pod concerns.
import {
  labelSelectorOf,
  matchesLabels,
  type LabelSelector,
} from "../../api/meta/label-selector.ts";
import type { Pod, Service } from "../../api/types/core-v1.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import { byNamespace } from "../../informer/index-functions.ts";
import type { Lister } from "../../informer/indexer.ts";
import type { Change } from "../../informer/informer.ts";
import { equalJson } from "../../std/json.ts";
import { isFinished, isReady, isTerminating } from "../pods/pod-state.ts";

/** Undefined for Services whose endpoints are someone else's care: without a selector, or an alias of a name. */
export function selectorOf({ spec }: Service): LabelSelector | undefined {
  if (spec?.type === "ExternalName" || spec?.selector === undefined) return undefined;
  return labelSelectorOf({ matchLabels: spec.selector });
}

/** Has an address, and has not run to its end. */
export function isReachable(pod: Pod): boolean {
  return !isFinished(pod) && ipsOf(pod).length > 0;
}

export function ipsOf({ status }: Pod): string[] {
  const ips = (status?.podIPs ?? []).flatMap(({ ip }) => ip ?? []);
  return ips.length === 0 && status?.podIP ? [status.podIP] : ips;
}

export function isIPv6(ip: string): boolean {
  return ip.includes(":");
}

/** The name under which DNS finds the pod itself, where the Service is the one that the pod says it belongs to. */
export function hostnameIn(service: Service, pod: Pod): string | undefined {
  const { hostname = "", subdomain } = pod.spec ?? {};
  return hostname !== "" && subdomain === service.metadata.name ? hostname : undefined;
}

export function serviceKeysOf(services: Lister<Service>, change: Change<Pod>): string[] {
  if (services.count(byNamespace, change.object.metadata.namespace ?? "") === 0) return [];
  if (change.type === "updated" && looksTheSame(change.previous, change.object)) return [];
  const states = change.type === "updated" ? [change.previous, change.object] : [change.object];
  return [...new Set(states.flatMap((pod) => keysOfPod(services, pod)))];
}

export function keysOfPod(services: Lister<Service>, { metadata }: Served<Pod>): string[] {
  return services
    .by(byNamespace, metadata.namespace ?? "")
    .filter((service) => {
      const selector = selectorOf(service);
      return selector !== undefined && matchesLabels(selector, metadata.labels);
    })
    .map(keyOf);
}

/** Most updates of a pod change nothing that an endpoint shows. */
function looksTheSame(before: Pod, after: Pod): boolean {
  return equalJson(visible(before), visible(after));
}

function visible(pod: Pod): object {
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  return {
    labels: pod.metadata.labels ?? {},
    ips: ipsOf(pod),
    ready: isReady(pod),
    terminating: isTerminating(pod),
    finished: isFinished(pod),
    place: { nodeName, hostname, subdomain },
  };
}
