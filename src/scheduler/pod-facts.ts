// What scheduling asks of a pod again and again, worked out once: requests as numbers, ports, affinity terms as
// selectors.
import { type LabelSelector, labelSelectorOf, matchesLabels } from "../api/meta/label-selector.ts";
import { type Amounts, podRequests } from "../api/pod/amounts.ts";
import { claimKeysOf } from "../api/volume/pod-claims.ts";
import type { Affinity, Pod, PodAffinityTerm, PodSpec, Toleration } from "../api/types/core-v1.ts";
import { type Served, keyOf } from "../client/served-object.ts";
import { controllerOf } from "../informer/index-functions.ts";

/** What a pod needs of a node, whatever else there is in the cluster. */
export interface PodNeeds {
  readonly requests: Amounts;
  /** `requests` of cpu and memory where containers that request nothing count something. */
  readonly scored: { readonly cpu: number; readonly memory: number };
  readonly ports: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly placement: Required<Pick<PodSpec, "nodeName" | "nodeSelector">> & {
    readonly affinity: Required<Pick<Affinity, "nodeAffinity">>;
  };
}

export interface PodFacts extends PodNeeds {
  readonly pod: Readonly<Served<Pod>>;
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  /** The same for pods that need the same of a node. */
  readonly kind: string;
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  readonly preferred: readonly WeightedTerm[];
  /** PersistentVolumeClaims that it uses, as `namespace/name`. */
  readonly claims: readonly string[];
  /** The UID of the owner that controls it; "" for none. */
  readonly controller: string;
}

export interface HostPort {
  /** "0.0.0.0" for all addresses. */
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

export interface PodTerm {
  readonly selector: LabelSelector;
  readonly topologyKey: string;
  readonly namespaces: readonly string[];
  /** Also namespaces with such labels; undefined: none. */
  readonly namespaceSelector: LabelSelector | undefined;
}

/** Negative for anti-affinity. */
export interface WeightedTerm extends PodTerm {
  readonly weight: number;
}

export function podFactsOf(
  pod: Readonly<Served<Pod>>,
  usual: { readonly cpu: number; readonly memory: number },
): PodFacts {
  const { spec, metadata } = pod;
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const term = (one: PodAffinityTerm): PodTerm => termOf(pod, one);
  const weighted =
    (sign: number) =>
    ({ weight, podAffinityTerm }: { weight: number; podAffinityTerm: PodAffinityTerm }) => ({
      ...term(podAffinityTerm),
      weight: sign * weight,
    });
  const needs = needsOf(pod, usual);
  return {
    kind: JSON.stringify(needs),
    pod,
    key: keyOf(pod),
    uid: metadata.uid,
    namespace: metadata.namespace ?? "",
    labels: metadata.labels ?? {},
    priority: spec?.priority ?? 0,
    affinity: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term),
    antiAffinity: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term),
    preferred: [
      ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weighted(1)),
      ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weighted(-1)),
    ],
    claims: claimKeysOf(pod),
    controller: controllerOf(pod)?.uid ?? "",
    ...needs,
  };
}

function needsOf(pod: Pod, usual: { readonly cpu: number; readonly memory: number }): PodNeeds {
  const { nodeName = "", nodeSelector = {}, affinity, tolerations = [] } = pod.spec ?? {};
  const { nodeAffinity = {} } = affinity ?? {};
  return {
    requests: podRequests(pod.spec),
    scored: scoredRequests(pod, usual),
    ports: portsOf(pod),
    tolerations,
    placement: { nodeName, nodeSelector, affinity: { nodeAffinity } },
  };
}

/** Whether a pod is one of those that a term of another pod means. */
export function meansPod(
  term: PodTerm,
  { namespace, labels }: Pick<PodFacts, "namespace" | "labels">,
  namespaceLabels: (namespace: string) => Readonly<Record<string, string>>,
): boolean {
  if (!matchesLabels(term.selector, labels)) return false;
  if (term.namespaces.includes(namespace)) return true;
  return (
    term.namespaceSelector !== undefined &&
    matchesLabels(term.namespaceSelector, namespaceLabels(namespace))
  );
}

function termOf({ metadata }: Pod, term: PodAffinityTerm): PodTerm {
  const { labelSelector, topologyKey, namespaces = [], namespaceSelector } = term;
  const { matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const own = metadata.labels ?? {};
  const alike = (keys: readonly string[], operator: "in" | "notin"): LabelSelector =>
    keys
      .filter((key) => Object.hasOwn(own, key))
      .map((key) => ({ key, operator, values: [own[key]!] }));
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    selector: [
      ...labelSelectorOf(labelSelector),
      ...alike(matchLabelKeys, "in"),
      ...alike(mismatchLabelKeys, "notin"),
    ],
    topologyKey,
    namespaces: isOwn ? [metadata.namespace ?? ""] : namespaces,
    namespaceSelector:
      namespaceSelector === undefined ? undefined : labelSelectorOf(namespaceSelector),
  };
}

function portsOf({ spec }: Pod): HostPort[] {
  const { containers = [], initContainers = [] } = spec ?? {};
  return [...containers, ...initContainers.filter((one) => one.restartPolicy === "Always")].flatMap(
    ({ ports = [] }) =>
      ports
        .filter(({ hostPort = 0 }) => hostPort > 0)
        .map(({ hostIP = "", protocol = "TCP", hostPort = 0 }) => ({
          ip: hostIP === "" ? "0.0.0.0" : hostIP,
          protocol,
          port: hostPort,
        })),
  );
}

/** As if every container that names no request had one. */
function scoredRequests(
  { spec }: Pod,
  usual: { readonly cpu: number; readonly memory: number },
): { readonly cpu: number; readonly memory: number } {
  const requested = podRequests(spec);
  const silent = (name: string): number =>
    (spec?.containers ?? []).filter(({ resources }) => resources?.requests?.[name] === undefined)
      .length;
  return {
    cpu: (requested["cpu"] ?? 0) + silent("cpu") * usual.cpu,
    memory: (requested["memory"] ?? 0) + silent("memory") * usual.memory,
  };
}
