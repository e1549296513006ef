// The objects that a pod names and its node must read for it: Secrets, ConfigMaps and claims of its own namespace. The
// node's kubelet reads these, and the node authorizer lets it read nothing else (upstream: pkg/api/v1/pod/util.go,
// plugin/pkg/auth/authorizer/node/graph.go). Pure.
import type { Container, EphemeralContainer, Pod, PodSpec, Volume } from "../types/core-v1.ts";

/** Names, each once, in the order in which the pod names them. */
export interface PodReferences {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
  readonly claims: readonly string[];
}

/** What of a pod is enough to tell. */
export type ReferringPod = {
  readonly metadata?: { readonly name?: string };
  readonly spec?: Pick<
    PodSpec,
    "imagePullSecrets" | "volumes" | "containers" | "initContainers" | "ephemeralContainers"
  >;
};

interface Found {
  readonly secrets: Set<string>;
  readonly configMaps: Set<string>;
  readonly claims: Set<string>;
}

export function podReferences(pod: ReferringPod | Pod): PodReferences {
  const found: Found = { secrets: new Set(), configMaps: new Set(), claims: new Set() };
  const { spec } = pod;
  for (const { name } of spec?.imagePullSecrets ?? []) note(found.secrets, name);
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  for (const container of [...initContainers, ...containers, ...ephemeralContainers])
    visitContainer(found, container);
  for (const volume of spec?.volumes ?? []) visitVolume(found, volume, pod.metadata?.name ?? "");
  return {
    secrets: [...found.secrets],
    configMaps: [...found.configMaps],
    claims: [...found.claims],
  };
}

function note(names: Set<string>, name: string | undefined): void {
  if (name !== undefined && name !== "") names.add(name);
}

function visitContainer(found: Found, { env, envFrom }: Container | EphemeralContainer): void {
  for (const { secretRef, configMapRef } of envFrom ?? []) {
    note(found.secrets, secretRef?.name);
    note(found.configMaps, configMapRef?.name);
  }
  for (const { valueFrom } of env ?? []) {
    note(found.secrets, valueFrom?.secretKeyRef?.name);
    note(found.configMaps, valueFrom?.configMapKeyRef?.name);
  }
}

function visitVolume(found: Found, volume: Volume, podName: string): void {
  note(found.secrets, volume.secret?.secretName);
  note(found.configMaps, volume.configMap?.name);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    note(found.secrets, secret?.name);
    note(found.configMaps, configMap?.name);
  }
  note(found.claims, volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral !== undefined) note(found.claims, `${podName}-${volume.name}`);
  for (const name of driverSecrets(volume)) note(found.secrets, name);
}

/** Credentials that volume drivers ask for. */
function driverSecrets(volume: Volume): (string | undefined)[] {
  return [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    volume.rbd?.secretRef?.name,
    volume.scaleIO?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
  ];
}
