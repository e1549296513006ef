// Defaults of the volume sources that pods and persistent volumes share or have alone (upstream:
// pkg/apis/core/v1/defaults.go and the +default markers of core/v1 types).
import type {
  AzureDiskVolumeSource,
  DownwardAPIVolumeFile,
  HostPathVolumeSource,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  ProjectedVolumeSource,
  Volume,
} from "../types/core-v1.ts";
import { defaultImagePullPolicy } from "./image-pull-policy.ts";

/** 0644 */
const fileMode = 0o644;
const tokenExpirationSeconds = 3600;

export function defaultVolume(volume: Volume): void {
  if (hasNoSource(volume)) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= fileMode;
  if (volume.configMap) volume.configMap.defaultMode ??= fileMode;
  if (volume.projected) defaultProjected(volume.projected);
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= fileMode;
    defaultDownwardItems(volume.downwardAPI.items);
  }
  if (volume.hostPath) defaultHostPath(volume.hostPath);
  if (volume.ephemeral?.volumeClaimTemplate) {
    defaultClaimSpec((volume.ephemeral.volumeClaimTemplate.spec ??= {}));
  }
  if (volume.image) {
    volume.image.pullPolicy ||= defaultImagePullPolicy(volume.image.reference ?? "");
  }
  defaultLegacySources(volume);
}

export function defaultPersistentVolumeSource(spec: PersistentVolumeSpec): void {
  if (spec.hostPath) defaultHostPath(spec.hostPath);
  defaultLegacySources(spec);
}

export function defaultClaimSpec(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= "Filesystem";
}

export function defaultFieldRef(fieldRef: { apiVersion?: string } | undefined): void {
  if (fieldRef) fieldRef.apiVersion ||= "v1";
}

function hasNoSource(volume: Volume): boolean {
  for (const key in volume) {
    if (key !== "name" && volume[key as keyof Volume] !== undefined) return false;
  }
  return true;
}

function defaultProjected(projected: ProjectedVolumeSource): void {
  projected.defaultMode ??= fileMode;
  for (const source of projected.sources ?? []) {
    if (source.serviceAccountToken) {
      source.serviceAccountToken.expirationSeconds ??= tokenExpirationSeconds;
    }
    if (source.downwardAPI) defaultDownwardItems(source.downwardAPI.items);
  }
}

function defaultDownwardItems(items: DownwardAPIVolumeFile[] | undefined): void {
  for (const item of items ?? []) defaultFieldRef(item.fieldRef);
}

function defaultHostPath(hostPath: HostPathVolumeSource): void {
  hostPath.type ??= "";
}

/** The in-tree drivers that still fill fields in. */
interface LegacySources {
  iscsi?: { iscsiInterface?: string };
  rbd?: { pool?: string; user?: string; keyring?: string };
  azureDisk?: AzureDiskVolumeSource;
  scaleIO?: { storageMode?: string; fsType?: string };
}

function defaultLegacySources(sources: LegacySources): void {
  if (sources.iscsi) sources.iscsi.iscsiInterface ||= "default";
  if (sources.rbd) {
    sources.rbd.pool ||= "rbd";
    sources.rbd.user ||= "admin";
    sources.rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (sources.azureDisk) {
    sources.azureDisk.cachingMode ??= "ReadWrite";
    sources.azureDisk.fsType ??= "ext4";
    sources.azureDisk.readOnly ??= false;
    sources.azureDisk.kind ??= "Shared";
  }
  if (sources.scaleIO) {
    sources.scaleIO.storageMode ||= "ThinProvisioned";
    sources.scaleIO.fsType ||= "xfs";
  }
}
