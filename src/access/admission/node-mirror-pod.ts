// The one kind of pod that a kubelet creates: the mirror of a static pod of its own, which refers to nothing in the API.
import { podReferences } from "../../api/pod/references.ts";
import type { KubeObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/types/core-v1.ts";
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import type { NodeCall } from "./node-call.ts";
import { refuse } from "./refusal.ts";

const mirrorPodAnnotation = "kubernetes.io/config.mirror";

export function checkMirrorPod({ node, attributes, reader }: NodeCall): void {
  const pod = attributes.object;
  if (pod === undefined) return;
  const who = `node ${JSON.stringify(node)}`;
  const spec = (pod["spec"] ?? {}) as PodSpec;
  const why =
    mirrorProblem(pod, spec, node) ??
    ownerProblem(pod.metadata.ownerReferences ?? [], node) ??
    referenceProblem(pod, spec);
  if (why !== undefined) throw refuse(attributes, why.replace("{node}", who));
  const uid = reader.find("nodes", "", node)?.metadata.uid ?? "";
  const [owner] = pod.metadata.ownerReferences ?? [];
  if (owner?.uid !== uid) {
    const mismatch = `node ${node} UID mismatch: expected ${owner?.uid ?? ""} got ${uid}`;
    throw refuse(attributes, mismatch);
  }
}

/** `{node}` stands for the node. */
function mirrorProblem(pod: KubeObject, spec: PodSpec, node: string): string | undefined {
  if (pod.metadata.annotations?.[mirrorPodAnnotation] === undefined)
    return `pod does not have "${mirrorPodAnnotation}" annotation, {node} can only create mirror pods`;
  if (spec.nodeName !== node) return "{node} can only create pods with spec.nodeName set to itself";
  return undefined;
}

function ownerProblem(owners: readonly OwnerReference[], node: string): string | undefined {
  const [owner] = owners;
  if (owners.length > 1)
    return "{node} can only create pods with a single owner reference set to itself";
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return "{node} can only create pods with an owner reference set to itself";
  if (owner.controller !== true)
    return "{node} can only create pods with a controller owner reference set to itself";
  if (owner.blockOwnerDeletion === true)
    return "{node} must not set blockOwnerDeletion on an owner reference";
  return undefined;
}

function referenceProblem(pod: KubeObject, spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? "") !== "")
    return "{node} can not create pods that reference a service account";
  const { secrets, configMaps } = podReferences({ ...pod, spec });
  if (secrets.length > 0) return "{node} can not create pods that reference secrets";
  if (configMaps.length > 0) return "{node} can not create pods that reference configmaps";
  const volumes = spec.volumes ?? [];
  const bundles = volumes.some(({ projected }) =>
    projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
  );
  if (bundles) return "{node} can not create pods that reference clustertrustbundles";
  if (volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined))
    return "{node} can not create pods that reference persistentvolumeclaims";
  return undefined;
}
