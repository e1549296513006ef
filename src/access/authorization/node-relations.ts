// What a node has to do with which objects: its pods, and what those refer to. Everything else is none of its business
// (upstream: plugin/pkg/auth/authorizer/node/graph.go). No graph is kept: a node has few pods, an index finds them, and
// each pod's references are one short text, so that the answer is always that of the newest state and costs nothing to
// keep up.
import { podReferences } from "../../api/pod/references.ts";
import type { KubeObject } from "../../api/object.ts";
import type { PersistentVolumeSpec, PodSpec } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";

/** What a pod may refer to, by the letter that stands for it in `PodOnNode.references`. */
const letters = {
  secrets: "s",
  configmaps: "c",
  persistentvolumeclaims: "p",
  serviceaccounts: "a",
  "resourceclaims.resource.k8s.io": "r",
} as const;

export type ReferredResource = keyof typeof letters;

export interface PodOnNode {
  readonly namespace: string;
  readonly name: string;
  /** Lines of letter, slash, name, with a line break before the first and behind each; see `referencesText`. */
  readonly references: string;
}

/** Wired by cluster/ to the index of pods by node. */
export interface NodePods {
  /** Those bound to the node, as newest known. */
  onNode(node: string): Iterable<PodOnNode>;
}

const mirrorPodAnnotation = "kubernetes.io/config.mirror";

/** The parts of a pod that `referencesText` reads. */
export const referringPaths: readonly string[] = [
  "metadata.annotations",
  "spec.serviceAccountName",
  "spec.imagePullSecrets",
  "spec.volumes",
  "spec.containers",
  "spec.initContainers",
  "spec.ephemeralContainers",
  "spec.resourceClaims",
  "status.resourceClaimStatuses",
  "status.extendedResourceClaimStatus",
];

/** Of a pod, or of its `referringPaths` and its name. */
export function referencesText(pod: Readonly<KubeObject>): string {
  // A node makes mirror pods itself: they must not open anything to it.
  if (pod.metadata.annotations?.[mirrorPodAnnotation] !== undefined) return "\n";
  const spec = pod["spec"] as PodSpec | undefined;
  const { secrets, configMaps, claims } = podReferences(pod);
  const lines = [
    ...secrets.map((name) => line("secrets", name)),
    ...configMaps.map((name) => line("configmaps", name)),
    ...claims.map((name) => line("persistentvolumeclaims", name)),
    ...[spec?.serviceAccountName ?? ""]
      .filter(Boolean)
      .map((name) => line("serviceaccounts", name)),
    ...resourceClaims(pod).map((name) => line("resourceclaims.resource.k8s.io", name)),
  ];
  return `\n${lines.map((one) => `${one}\n`).join("")}`;
}

function line(resource: ReferredResource, name: string): string {
  return `${letters[resource]}/${name}`;
}

interface ClaimStatuses {
  readonly resourceClaimStatuses?: readonly { name?: string; resourceClaimName?: string }[];
  readonly extendedResourceClaimStatus?: { resourceClaimName?: string };
}

function resourceClaims(pod: Readonly<KubeObject>): string[] {
  const spec = pod["spec"] as PodSpec | undefined;
  const { resourceClaimStatuses = [], extendedResourceClaimStatus } = (pod["status"] ??
    {}) as ClaimStatuses;
  const names = (spec?.resourceClaims ?? []).map(
    ({ name, resourceClaimName }) =>
      resourceClaimName ??
      resourceClaimStatuses.find((one) => one.name === name)?.resourceClaimName,
  );
  return [...names, extendedResourceClaimStatus?.resourceClaimName].filter(
    (name) => name !== undefined && name !== "",
  ) as string[];
}

export class NodeRelations {
  readonly #reader: ObjectReader;
  readonly #pods: NodePods;

  constructor(reader: ObjectReader, pods: NodePods) {
    this.#reader = reader;
    this.#pods = pods;
  }

  /** A pod of the node refers to it, if only through its volumes. */
  refers(node: string, resource: ReferredResource, object: NamespacedName): boolean {
    const wanted = `\n${line(resource, object.name)}\n`;
    for (const { namespace, references } of this.#pods.onNode(node))
      if (namespace === object.namespace && references.includes(wanted)) return true;
    return resource === "secrets" && this.#ofVolumes(node, object);
  }

  hasPod(node: string, { namespace, name }: NamespacedName): boolean {
    for (const pod of this.#pods.onNode(node))
      if (pod.namespace === namespace && pod.name === name) return true;
    return false;
  }

  /** The volume of a claim that a pod of the node uses. */
  hasVolume(node: string, name: string): boolean {
    const spec = this.#volumeSpec(name);
    const { namespace = "", name: claim = "" } = spec?.claimRef ?? {};
    return claim !== "" && this.refers(node, "persistentvolumeclaims", { namespace, name: claim });
  }

  /** Objects that name the node themselves: VolumeAttachments, ResourceSlices. */
  isNamedBy(node: string, resource: string, name: string): boolean {
    const spec = this.#reader.find(resource, "", name)?.["spec"] as
      | { readonly nodeName?: string }
      | undefined;
    return spec?.nodeName === node;
  }

  #ofVolumes(node: string, secret: NamespacedName): boolean {
    for (const { namespace, references } of this.#pods.onNode(node)) {
      for (const [, claim = ""] of references.matchAll(/^p\/(.*)$/gm)) {
        const found = this.#reader.find("persistentvolumeclaims", namespace, claim);
        const { volumeName = "" } = (found?.["spec"] ?? {}) as { readonly volumeName?: string };
        const spec = volumeName === "" ? undefined : this.#volumeSpec(volumeName);
        if (spec !== undefined && usesSecret(spec, namespace, secret)) return true;
      }
    }
    return false;
  }

  #volumeSpec(name: string): PersistentVolumeSpec | undefined {
    return this.#reader.find("persistentvolumes", "", name)?.["spec"] as
      | PersistentVolumeSpec
      | undefined;
  }
}

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Secrets that the node's side of the volume's driver reads; a reference without a namespace means the claim's. */
function usesSecret(
  spec: PersistentVolumeSpec,
  claimNamespace: string,
  secret: NamespacedName,
): boolean {
  const { azureFile, csi } = spec;
  const references = [
    { name: azureFile?.secretName, namespace: azureFile?.secretNamespace },
    spec.cephfs?.secretRef,
    spec.cinder?.secretRef,
    spec.flexVolume?.secretRef,
    spec.rbd?.secretRef,
    spec.scaleIO?.secretRef,
    spec.iscsi?.secretRef,
    spec.storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  return references.some(
    (one) => one?.name === secret.name && (one.namespace || claimNamespace) === secret.namespace,
  );
}
