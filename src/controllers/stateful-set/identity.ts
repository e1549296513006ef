// What makes a StatefulSet's pod this very one: its ordinal, and from it its name, its labels and its claims (upstream:
// pkg/controller/statefulset/stateful_set_utils.go).
import type { StatefulSet } from "../../api/types/apps-v1.ts";
import type {
  PersistentVolumeClaim,
  Pod,
  PodTemplateSpec,
  Volume,
} from "../../api/types/core-v1.ts";
import { controllerRefTo } from "../pods/controller-ref.ts";
import { podFromTemplate } from "../pods/pod-control.ts";

const nameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";
const revisionLabel = "controller-revision-hash";

/** Undefined unless the pod's name is one that the set gives. */
export function ordinalOf(set: StatefulSet, { metadata }: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  if (metadata.name?.startsWith(prefix) !== true) return undefined;
  const rest = metadata.name.slice(prefix.length);
  return /^[0-9]+$/.test(rest) ? Number(rest) : undefined;
}

/** The name of the ControllerRevision it was made from. */
export function podRevision({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

export function podOf(
  set: StatefulSet,
  ordinal: number,
  from: { readonly template: PodTemplateSpec | undefined; readonly revision: string },
): Pod {
  const pod = podFromTemplate(from.template, set);
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = {
    ...pod.metadata.labels,
    [nameLabel]: name,
    [indexLabel]: String(ordinal),
    [revisionLabel]: from.revision,
  };
  return {
    metadata: { ...pod.metadata, name, labels },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...volumesOf(set, ordinal, pod.spec?.volumes ?? []),
    },
  };
}

/** Whether name and labels are what the ordinal says. */
export function identityMatches(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(set, pod);
  const { labels = {}, name } = pod.metadata;
  return (
    ordinal !== undefined && labels[nameLabel] === name && labels[indexLabel] === String(ordinal)
  );
}

export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const { name = "" } = pod.metadata;
  const ordinal = ordinalOf(set, pod) ?? 0;
  const labels = { ...pod.metadata.labels, [nameLabel]: name, [indexLabel]: String(ordinal) };
  return { ...pod, metadata: { ...pod.metadata, labels } };
}

export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => claimOf(set, template, ordinal));
}

function claimOf(
  set: StatefulSet,
  template: PersistentVolumeClaim,
  ordinal: number,
): PersistentVolumeClaim {
  const { metadata, spec } = template;
  const goesWithSet = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  return {
    metadata: {
      ...metadata,
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? "",
      labels: { ...metadata.labels, ...set.spec?.selector?.matchLabels },
      ...(goesWithSet ? { ownerReferences: [controllerRefTo(set)] } : {}),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** The pod's volumes, those of claim templates in the place of the template's own of the same name. */
function volumesOf(
  set: StatefulSet,
  ordinal: number,
  volumes: readonly Volume[],
): { volumes?: Volume[] } {
  const templates = set.spec?.volumeClaimTemplates ?? [];
  if (templates.length === 0) return {};
  const claimed = new Set(templates.map(({ metadata }) => metadata.name));
  const own = templates.map((template) => ({
    name: template.metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  return { volumes: [...own, ...volumes.filter(({ name }) => !claimed.has(name))] };
}

function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata.name}-${set.metadata.name}-${ordinal}`;
}
