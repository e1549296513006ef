// The pod that a Job makes next. Pure.
import type { Job } from "../../api/types/batch-v1.ts";
import type { Container, Pod } from "../../api/types/core-v1.ts";
import { copyJson } from "../../std/json.ts";
import { controllerRefTo } from "../pods/controller-ref.ts";
import type { NewPod } from "./plan.ts";
import { indexAnnotation, trackingFinalizer } from "./profile.ts";

const indexVariable = "JOB_COMPLETION_INDEX";
/** Server-side suffixes need five of the 63. */
const generateNameMax = 63 - 5;

export function podOf(job: Job, { index, annotations }: NewPod, tracked: boolean): Pod {
  const { name = "", namespace = "" } = job.metadata;
  const template = copyJson(job.spec?.template ?? { metadata: {} });
  const { labels = {}, annotations: given = {}, finalizers = [] } = template.metadata ?? {};
  const indexed = index === undefined ? {} : { [indexAnnotation]: String(index) };
  const metadata: Pod["metadata"] = {
    generateName: generateNameOf(name, index),
    namespace,
    labels: { ...labels, ...indexed },
    annotations: { ...given, ...indexed, ...annotations },
    ownerReferences: [controllerRefTo(job)],
    finalizers:
      tracked && !finalizers.includes(trackingFinalizer)
        ? [...finalizers, trackingFinalizer]
        : finalizers,
  };
  const pod: Pod = { metadata, ...(template.spec === undefined ? {} : { spec: template.spec }) };
  if (index !== undefined && pod.spec !== undefined) {
    pod.spec.hostname = `${name}-${index}`;
    for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])])
      addIndexVariable(container);
  }
  return pod;
}

function generateNameOf(name: string, index: number | undefined): string {
  const suffix = index === undefined ? "-" : `-${index}-`;
  return `${name.slice(0, generateNameMax - suffix.length)}${suffix}`;
}

function addIndexVariable(container: Container): void {
  if (container.env?.some(({ name }) => name === indexVariable)) return;
  const fieldPath = `metadata.labels['${indexAnnotation}']`;
  container.env = [
    ...(container.env ?? []),
    { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } },
  ];
}
