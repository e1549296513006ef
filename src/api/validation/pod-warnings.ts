// Warnings about a pod or a workload's template: what is deprecated, what hides something else, what matches nothing
// (upstream: pkg/api/pod/warnings.go).
import type { Container, PodAffinityTerm, PodSpec } from "../types/core-v1.ts";
import type { ObjectMeta } from "../types/meta-v1.ts";
import { getKey } from "../../std/json.ts";
import { isWholeQuantity } from "../quantity.ts";

/** Old labels of nodes: what to say instead, and since when. */
const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
const appArmorContainer = "container.apparmor.security.beta.kubernetes.io/";
const deprecatedVolumes: Readonly<Record<string, string>> = {
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};
const nullSelector = "a null labelSelector results in matching no pod";
const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

interface PodLike {
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpec;
}

/** `prefix` leads to the pod: "" or `spec.template.`. */
export function podWarnings({ metadata, spec = {} }: PodLike, prefix: string): string[] {
  const warnings: string[] = [];
  const path = `${prefix}spec`;
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const advice = getKey(deprecatedNodeLabels, key);
    if (advice !== undefined) warnings.push(`${path}.nodeSelector[${key}]: ${advice}`);
  }
  warnings.push(...affinityWarnings(spec, `${path}.affinity`));
  for (const [i, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const at = `${path}.topologySpreadConstraints[${i}]`;
    const advice = getKey(deprecatedNodeLabels, constraint.topologyKey);
    if (advice !== undefined) {
      warnings.push(`${at}.topologyKey: ${constraint.topologyKey} is ${advice}`);
    }
    if (!constraint.labelSelector) warnings.push(`${at}.labelSelector: ${nullSelector}`);
  }
  warnings.push(...annotationWarnings(metadata, `${prefix}metadata.annotations`));
  warnings.push(...volumeWarnings(spec, `${path}.volumes`));
  for (const [i, { name = "" }] of (spec.imagePullSecrets ?? []).entries()) {
    if (name === "") warnings.push(`${path}.imagePullSecrets[${i}].name: invalid empty name ""`);
  }
  for (const key of ["initContainers", "containers"] as const) {
    for (const [i, container] of (spec[key] ?? []).entries()) {
      warnings.push(...containerWarnings(container, `${path}.${key}[${i}]`));
    }
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warnings.push(
      `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  }
  return warnings;
}

function affinityWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  const { nodeAffinity } = spec.affinity ?? {};
  const terms = nodeAffinity?.[requiredTerms]?.nodeSelectorTerms ?? [];
  for (const [i, term] of terms.entries()) {
    for (const [j, { key }] of (term.matchExpressions ?? []).entries()) {
      const advice = getKey(deprecatedNodeLabels, key);
      const at = `${path}.nodeAffinity.${requiredTerms}.nodeSelectorTerms[${i}].matchExpressions[${j}].key`;
      if (advice !== undefined) warnings.push(`${at}: ${key} is ${advice}`);
    }
  }
  for (const [i, term] of (nodeAffinity?.[preferredTerms] ?? []).entries()) {
    for (const [j, { key }] of (term.preference.matchExpressions ?? []).entries()) {
      const advice = getKey(deprecatedNodeLabels, key);
      const at = `${path}.nodeAffinity.${preferredTerms}[${i}].preference.matchExpressions[${j}].key`;
      if (advice !== undefined) warnings.push(`${at}: ${key} is ${advice}`);
    }
  }
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    for (const [i, term] of (spec.affinity?.[kind]?.[requiredTerms] ?? []).entries()) {
      warnings.push(...termWarnings(term, `${path}.${kind}.${requiredTerms}[${i}]`));
    }
    for (const [i, { podAffinityTerm }] of (
      spec.affinity?.[kind]?.[preferredTerms] ?? []
    ).entries()) {
      const at = `${path}.${kind}.${preferredTerms}[${i}].podAffinityTerm`;
      warnings.push(...termWarnings(podAffinityTerm, at));
    }
  }
  return warnings;
}

function termWarnings(term: PodAffinityTerm, path: string): string[] {
  return term.labelSelector ? [] : [`${path}.labelSelector: ${nullSelector}`];
}

function annotationWarnings(meta: ObjectMeta | undefined, path: string): string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(meta?.annotations ?? {})) {
    if (key === seccompPod || key.startsWith(seccompContainer)) {
      const advice = 'non-functional in v1.27+; use the "seccompProfile" field instead';
      warnings.push(`${path}[${key}]: ${advice}`);
    } else if (key.startsWith(appArmorContainer)) {
      const advice = 'deprecated since v1.30; use the "appArmorProfile" field instead';
      warnings.push(`${path}[${key}]: ${advice}`);
    }
  }
  return warnings;
}

function volumeWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    for (const key of Object.keys(volume)) {
      const advice = getKey(deprecatedVolumes, key);
      if (advice !== undefined) warnings.push(`${path}[${i}].${key}: ${advice}`);
    }
    for (const source of volume.projected?.sources ?? []) {
      if (Object.keys(source).length > 0) continue;
      warnings.push(`volume ${JSON.stringify(volume.name)} (Projected) has no sources provided`);
    }
  }
  return warnings;
}

function containerWarnings(container: Container, path: string): string[] {
  const warnings: string[] = [];
  for (const key of ["limits", "requests"] as const) {
    for (const name of ["memory", "ephemeral-storage"]) {
      const quantity = container.resources?.[key]?.[name];
      if (quantity === undefined || isWholeQuantity(quantity)) continue;
      const advice = `fractional byte value ${JSON.stringify(quantity)} is invalid, must be an integer`;
      warnings.push(`${path}.resources.${key}[${name}]: ${advice}`);
    }
  }
  const variables = new Set<string>();
  for (const [i, { name }] of (container.env ?? []).entries()) {
    if (variables.has(name)) {
      const hidden = JSON.stringify(name);
      warnings.push(
        `${path}.env[${i}]: hides previous definition of ${hidden}, which may be dropped when using apply`,
      );
    }
    variables.add(name);
  }
  return [...warnings, ...portWarnings(container, `${path}.ports`)];
}

function portWarnings(container: Container, path: string): string[] {
  const warnings: string[] = [];
  const first = new Map<string, number>();
  for (const [i, port] of (container.ports ?? []).entries()) {
    const place = `${port.containerPort}/${port.protocol ?? ""}/${port.hostPort ?? 0}/${port.hostIP ?? ""}`;
    const before = first.get(place);
    if (before === undefined) first.set(place, i);
    else warnings.push(`${path}[${i}]: duplicate port definition with ${path}[${before}]`);
  }
  return warnings;
}
