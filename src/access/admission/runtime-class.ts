// RuntimeClass: a pod that names one gets the class's overhead, node selector and tolerations (upstream:
// plugin/pkg/admission/runtimeclass).
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { PodSpec, Toleration } from "../../api/types/core-v1.ts";
import type { RuntimeClass } from "../../api/types/node-v1.ts";
import { compareQuantityTexts } from "../../api/quantity.ts";
import { equalJson } from "../../std/json.ts";
import { type ObjectReader, findSurely } from "../object-reader.ts";
import { type AdmissionStep, onlyFor } from "./chain.ts";
import { isNewPod } from "./new-pod.ts";
import { refuse } from "./refusal.ts";

export function runtimeClassMutation(reader: ObjectReader): AdmissionStep {
  return onlyFor(isNewPod, async (attributes) => {
    const spec = specOf(attributes);
    if (!spec?.runtimeClassName) return;
    const { overhead, scheduling } = await findClass(reader, attributes, spec.runtimeClassName);
    const fixed = overhead?.podFixed;
    if (fixed !== undefined) {
      if (spec.overhead !== undefined && !sameAmounts(spec.overhead, fixed))
        throw refuse(
          attributes,
          "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        );
      spec.overhead = { ...fixed };
    }
    for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
      const own = spec.nodeSelector?.[key];
      if (own !== undefined && own !== value)
        throw refuse(
          attributes,
          `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
        );
      spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
    }
    const tolerations = scheduling?.tolerations ?? [];
    if (tolerations.length > 0) spec.tolerations = merged(spec.tolerations ?? [], tolerations);
  });
}

export function runtimeClassValidation(reader: ObjectReader): AdmissionStep {
  return onlyFor(isNewPod, async (attributes) => {
    const spec = specOf(attributes);
    if (spec?.overhead === undefined || Object.keys(spec.overhead).length === 0) return;
    const name = spec.runtimeClassName ?? "";
    const found = name === "" ? undefined : await findClass(reader, attributes, name);
    if (found?.overhead?.podFixed !== undefined) return;
    throw refuse(
      attributes,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  });
}

function specOf({ object }: AdmissionAttributes): PodSpec | undefined {
  return object?.["spec"] as PodSpec | undefined;
}

async function findClass(
  reader: ObjectReader,
  attributes: AdmissionAttributes,
  name: string,
): Promise<RuntimeClass> {
  const found = await findSurely(reader, "runtimeclasses.node.k8s.io", { namespace: "", name });
  if (found !== undefined) return found as unknown as RuntimeClass;
  throw refuse(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

type Amounts = Readonly<Record<string, string>>;

function sameAmounts(a: Amounts, b: Amounts): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => compareQuantityTexts(a[name] ?? "0", b[name] ?? "0") === 0)
  );
}

function merged(own: readonly Toleration[], added: readonly Toleration[]): Toleration[] {
  const missing = added.filter((one) => !own.some((known) => equalJson(known, one)));
  return [...own, ...missing.map((one) => Object.assign({}, one))];
}
