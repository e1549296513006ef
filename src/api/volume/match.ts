// Which volume suits a claim: the smallest of those that are free, big enough, of its class and mode, selected by it and
// usable where its pod runs (upstream: component-helpers/storage/volume FindMatchingVolume).
import { labelSelectorOf, matchesLabels } from "../meta/label-selector.ts";
import { type Quantity, compareQuantities, parseQuantity } from "../quantity.ts";
import { matchesNodeSelector } from "../pod/node-affinity.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../types/core-v1.ts";
import { volumeAnnotations } from "./annotations.ts";

type Volume = Readonly<PersistentVolume>;
type Claim = Readonly<PersistentVolumeClaim>;

const zero = parseQuantity("0");

/** `onlyReserved`: of the volumes only one that somebody reserved for this claim. */
export function findVolume<V extends Readonly<PersistentVolume>>(
  claim: Claim,
  volumes: readonly V[],
  where: { readonly node: Node | undefined; readonly onlyReserved: boolean },
): V | undefined {
  const fitting = volumes.filter(
    (volume) => hasModes(volume, claim) && !isGoing(volume) && misfit(volume, claim) === undefined,
  );
  const reserved = fitting.find((volume) => isReservedFor(volume, claim));
  if (reserved !== undefined || where.onlyReserved) return reserved;
  const { selector } = claim.spec ?? {};
  const wanted = selector === undefined ? [] : labelSelectorOf(selector);
  const free = fitting.filter(
    (volume) =>
      volume.spec?.claimRef === undefined &&
      volume.status?.phase === "Available" &&
      matchesLabels(wanted, volume.metadata.labels) &&
      (where.node === undefined || suitsNode(volume, where.node)),
  );
  return free.toSorted(bySize)[0];
}

/** Whether the volume can be used on the node. */
export function suitsNode({ spec }: Volume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, node);
}

/** Why a claim cannot have the volume, in the words its user reads; undefined when it can. */
export function misfit(volume: Volume, claim: Claim): string | undefined {
  if (compareQuantities(capacityOf(volume), requestOf(claim)) < 0)
    return "requested PV is too small";
  if (volumeClassOf(volume) !== claimClassOf(claim)) return "storageClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** By name, and by UID if the reservation knows one. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const ref = spec?.claimRef;
  if (ref === undefined) return false;
  if (ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return ref.uid === undefined || ref.uid === "" || ref.uid === metadata.uid;
}

export function claimClassOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[volumeAnnotations.legacyClass] ?? spec?.storageClassName ?? "";
}

function volumeClassOf({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[volumeAnnotations.legacyClass] ?? spec?.storageClassName ?? "";
}

function hasModes(volume: Volume, claim: Claim): boolean {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}

function modeOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec?.volumeMode ?? "Filesystem";
}

function capacityOf({ spec }: PersistentVolume): Quantity {
  const text = spec?.capacity?.["storage"];
  return text === undefined ? zero : parseQuantity(text);
}

function requestOf({ spec }: PersistentVolumeClaim): Quantity {
  const text = spec?.resources?.requests?.["storage"];
  return text === undefined ? zero : parseQuantity(text);
}

function bySize(a: Volume, b: Volume): number {
  const difference = compareQuantities(capacityOf(a), capacityOf(b));
  if (difference !== 0) return difference;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

function isGoing({ metadata }: Volume): boolean {
  return typeof metadata.deletionTimestamp === "string";
}
