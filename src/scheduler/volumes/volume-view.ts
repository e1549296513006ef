// What a scheduling decision sees of claims and volumes: what the informers told, and on top what the scheduler has
// decided itself but not yet seen come true.
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.ts";
import type { StorageClass } from "../../api/types/storage-v1.ts";
import type { Served } from "../../client/served-object.ts";

export type Volume = Readonly<Served<PersistentVolume>>;
export type Claim = Readonly<Served<PersistentVolumeClaim>>;

export interface VolumeView {
  /** By `namespace/name`. */
  claim(key: string): Claim | undefined;
  volume(name: string): Volume | undefined;
  volumes(): readonly Volume[];
  storageClass(name: string): StorageClass | undefined;
  /** How many volumes of a CSI driver fit on a node; undefined: any number. */
  attachMax(node: string, driver: string): number | undefined;
}

/** Where nobody uses claims. */
export const noVolumes: VolumeView = {
  claim: () => undefined,
  volume: () => undefined,
  volumes: () => [],
  storageClass: () => undefined,
  attachMax: () => undefined,
};
