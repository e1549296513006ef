// Priority admission: a pod's class becomes a number (upstream: plugin/pkg/admission/priority), and at most one class
// is the default.
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { KubeObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";
import { refuse } from "./refusal.ts";

const classes = "priorityclasses.scheduling.k8s.io";

interface Resolved {
  readonly className: string;
  readonly priority: number;
  readonly preemptionPolicy: string;
}

export function priorityMutation(reader: ObjectReader): AdmissionStep {
  return (attributes) => {
    const { operation, resource, subresource, object, oldObject } = attributes;
    if (resource.group !== "" || resource.resource !== "pods" || subresource !== "") return;
    const spec = object?.["spec"] as PodSpec | undefined;
    if (spec === undefined) return;
    if (operation === "UPDATE") keep(spec, oldObject?.["spec"] as PodSpec | undefined);
    if (operation === "CREATE") resolve(reader, attributes, spec);
  };
}

/** A client that does not know the fields must not wipe them. */
function keep(spec: PodSpec, old: PodSpec | undefined): void {
  if (spec.priority === undefined && old?.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old?.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
  }
}

function resolve(reader: ObjectReader, attributes: AdmissionAttributes, spec: PodSpec): void {
  const asked = spec.priorityClassName ?? "";
  const found = asked === "" ? defaultPriority(reader) : named(reader, asked);
  if (found === undefined) {
    throw refuse(attributes, `no PriorityClass with name ${asked} was found`);
  }
  const { priority, preemptionPolicy } = found;
  if (spec.priority !== undefined && spec.priority !== priority) {
    throw refuse(
      attributes,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw refuse(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  if (found.className !== "") spec.priorityClassName = found.className;
  spec.priority = priority;
  spec.preemptionPolicy = preemptionPolicy;
}

function named(reader: ObjectReader, name: string): Resolved | undefined {
  const found = reader.find(classes, "", name);
  return found === undefined ? undefined : resolved(found);
}

function defaultPriority(reader: ObjectReader): Resolved {
  const found = defaultClass(reader);
  if (found !== undefined) return resolved(found);
  return { className: "", priority: 0, preemptionPolicy: "PreemptLowerPriority" };
}

function resolved(found: Readonly<KubeObject>): Resolved {
  return {
    className: found.metadata.name ?? "",
    priority: Number(found["value"] ?? 0),
    preemptionPolicy: (found["preemptionPolicy"] as string | undefined) ?? "PreemptLowerPriority",
  };
}

/** Several defaults can slip in together; then the lowest counts. */
function defaultClass(reader: ObjectReader): Readonly<KubeObject> | undefined {
  let lowest: Readonly<KubeObject> | undefined;
  for (const candidate of reader.list(classes, "")) {
    if (candidate["globalDefault"] !== true) continue;
    const isLower =
      lowest === undefined || Number(candidate["value"] ?? 0) < Number(lowest["value"] ?? 0);
    if (isLower) lowest = candidate;
  }
  return lowest;
}

export function priorityClassValidation(reader: ObjectReader): AdmissionStep {
  return (attributes) => {
    const { operation, resource, object } = attributes;
    if (resource.group !== "scheduling.k8s.io" || resource.resource !== "priorityclasses") return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    if (object?.["globalDefault"] !== true) return;
    const name = defaultClass(reader)?.metadata.name;
    if (name === undefined) return;
    if (operation === "UPDATE" && name === object.metadata.name) return;
    throw refuse(
      attributes,
      `PriorityClass ${name} is already marked as default. Only one default can exist`,
    );
  };
}
