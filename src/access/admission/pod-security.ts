// PodSecurity: pods that a namespace's labels forbid are refused, what would become such a pod earns a warning, and
// labels that name no level are refused themselves (upstream: pod-security-admission/admission). Audit annotations have
// no reader here, so the audit labels are only checked.
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { invalid, qualified } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Container, Pod, PodTemplateSpec } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { CheckedPod } from "../pod-security/check.ts";
import {
  type LevelVersion,
  detailOf,
  isPrivileged,
  isStricter,
  levelText,
  readPolicy,
  violationsOf,
} from "../pod-security/policy.ts";
import { equalJson } from "../../std/json.ts";
import type { AdmissionStep } from "./chain.ts";
import { refuse } from "./refusal.ts";
import { controllerOf } from "./runaway-owner.ts";

/** Pods looked at when the labels of a namespace change. */
const namespacePodsMax = 3_000;
const ignoredSubresources = ["status", "binding", "eviction"];

type Template = PodTemplateSpec | undefined;
type WithTemplate = { spec?: { template?: Template }; template?: Template };
const templateOf = (object: KubeObject): Template => (object as WithTemplate).spec?.template;

const templates: Readonly<Record<string, (object: KubeObject) => Template>> = {
  podtemplates: (object) => (object as WithTemplate).template,
  replicationcontrollers: templateOf,
  "replicasets.apps": templateOf,
  "deployments.apps": templateOf,
  "statefulsets.apps": templateOf,
  "daemonsets.apps": templateOf,
  "jobs.batch": templateOf,
  "cronjobs.batch": (object) =>
    (object as { spec?: { jobTemplate?: WithTemplate } }).spec?.jobTemplate?.spec?.template,
};

export function podSecurity(reader: ObjectReader): AdmissionStep {
  return (attributes) => {
    const { operation, resource, subresource, object } = attributes;
    if ((operation !== "CREATE" && operation !== "UPDATE") || object === undefined) return;
    const label = qualified(resource.group, resource.resource);
    if (label === "pods") {
      if (!ignoredSubresources.includes(subresource)) checkPod(reader, attributes, object);
    } else if (subresource !== "") return;
    else if (label === "namespaces") checkNamespace(reader, attributes, object);
    else if (Object.hasOwn(templates, label))
      warnOfTemplate(reader, attributes, templates[label]?.(object));
  };
}

function checkPod(reader: ObjectReader, attributes: AdmissionAttributes, pod: Pod): void {
  const policy = policyOf(reader, attributes.namespace);
  if (isPrivileged(policy) || pod.spec === undefined) return;
  const { operation, oldObject } = attributes;
  if (operation === "UPDATE" && !changesImages(pod, oldObject)) return;
  const checked: CheckedPod = { metadata: pod.metadata, spec: pod.spec };
  const violations = violationsOf(checked, policy.enforce);
  if (violations.length > 0) {
    const level = levelText(policy.enforce);
    throw refuse(attributes, `violates PodSecurity "${level}": ${detailOf(violations)}`);
  }
  warn(attributes, checked, policy.warn);
}

function warnOfTemplate(
  reader: ObjectReader,
  attributes: AdmissionAttributes,
  template: Template,
): void {
  const policy = policyOf(reader, attributes.namespace);
  if (policy.warn.level === "privileged" || template?.spec === undefined) return;
  warn(attributes, { metadata: template.metadata ?? {}, spec: template.spec }, policy.warn);
}

function warn(attributes: AdmissionAttributes, pod: CheckedPod, level: LevelVersion): void {
  const violations = violationsOf(pod, level);
  if (violations.length === 0) return;
  attributes.warn(`would violate PodSecurity "${levelText(level)}": ${detailOf(violations)}`);
}

function policyOf(reader: ObjectReader, namespace: string): ReturnType<typeof readPolicy> {
  return readPolicy(reader.find("namespaces", "", namespace)?.metadata.labels);
}

/** Nothing else that checks look at can change in a pod. */
function changesImages({ spec }: Pod, old: Pod | undefined): boolean {
  const before = old?.spec;
  const same = (now: readonly Container[] = [], then: readonly Container[] = []): boolean =>
    now.length === then.length && now.every(({ image }, index) => image === then[index]?.image);
  return !(
    same(spec?.containers, before?.containers) &&
    same(spec?.initContainers, before?.initContainers) &&
    same(spec?.ephemeralContainers, before?.ephemeralContainers)
  );
}

/* ---- namespaces ---- */

function checkNamespace(
  reader: ObjectReader,
  attributes: AdmissionAttributes,
  { metadata }: KubeObject,
): void {
  const policy = readPolicy(metadata.labels);
  const { operation, oldObject } = attributes;
  const before = readPolicy(operation === "UPDATE" ? oldObject?.metadata.labels : {});
  if (policy.errors.length > 0 && !equalJson(policy.errors, before.errors))
    throw invalid(attributes.kind, metadata.name ?? "", policy.errors);
  if (operation !== "UPDATE") return;
  const [now, then] = [policy.enforce, before.enforce];
  const isRelaxed = now.minor === then.minor && !isStricter(now.level, then.level);
  if (now.level === "privileged" || isRelaxed) return;
  for (const text of violatorsIn(reader, metadata.name ?? "", now)) attributes.warn(text);
}

/** What a stricter level means to the pods that are there, one line a kind of violation. */
function violatorsIn(reader: ObjectReader, namespace: string, level: LevelVersion): string[] {
  const all = oneOfEachOwnerFirst(reader.list("pods", namespace));
  const pods = all.slice(0, namespacePodsMax);
  const byReason = new Map<string, string[]>();
  for (const { metadata, spec = { containers: [] } } of pods) {
    const reason = violationsOf({ metadata, spec }, level)
      .map((violation) => violation.reason)
      .join(", ");
    if (reason === "") continue;
    const names = byReason.get(reason) ?? [];
    names.push(metadata.name ?? "");
    byReason.set(reason, names);
  }
  const lines = [...byReason].map(([reason, names]) => `${violatorNames(names)}: ${reason}`);
  const head = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${levelText(level)}"`;
  return [
    ...(pods.length < all.length
      ? [
          `new PodSecurity enforce level only checked against the first ${pods.length} of ${all.length} existing pods`,
        ]
      : []),
    ...(lines.length === 0 ? [] : [head, ...lines.toSorted()]),
  ];
}

function oneOfEachOwnerFirst(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const others: Pod[] = [];
  const first = pods.filter((pod) => {
    const owner = controllerOf(pod.metadata.ownerReferences)?.uid;
    if (owner === undefined) return true;
    if (!seen.has(owner)) return seen.add(owner);
    others.push(pod);
    return false;
  });
  return [...first, ...others];
}

function violatorNames(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  if (names.length === 1) return first;
  if (names.length === 2) return `${first} (and 1 other pod)`;
  return `${first} (and ${names.length - 1} other pods)`;
}
