// What a pod security check is, and the words that all of them share (upstream: pod-security-admission/policy).
import type { Container, PodSpec } from "../../api/types/core-v1.ts";
import type { ObjectMeta } from "../../api/types/meta-v1.ts";

export interface CheckedPod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (pod: CheckedPod) => Violation | undefined;

export interface Check {
  /** Also its place: checks speak in the order of their ids. */
  readonly id: string;
  /** By the minor of Kubernetes from which it holds, ascending. */
  readonly versions: readonly (readonly [minor: number, check: CheckPod])[];
  /** A baseline check that this one makes needless. */
  readonly replaces?: string;
}

/** In the order in which violations name them. */
export function containersOf({ spec }: CheckedPod): readonly Container[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  return [...initContainers, ...containers, ...ephemeralContainers];
}

export function namesWhere(pod: CheckedPod, isBad: (container: Container) => boolean): string[] {
  return containersOf(pod)
    .filter(isBad)
    .map(({ name }) => name);
}

/** `container "a"`, `containers "a", "b"`. */
export function containerList(names: readonly string[]): string {
  return `${plural(names, "container")} ${quoted(names)}`;
}

export function plural(things: readonly unknown[], word: string): string {
  return things.length === 1 ? word : `${word}s`;
}

export function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}

/** Each once, sorted. */
export function distinct(words: readonly string[]): string[] {
  return [...new Set(words)].toSorted();
}

/** `pod and container "a"`: who set something; empty when nobody did. */
export function settersOf(podDoes: "pod sets it" | "", names: readonly string[]): string {
  return [
    ...(podDoes === "" ? [] : ["pod"]),
    ...(names.length === 0 ? [] : [containerList(names)]),
  ].join(" and ");
}

export const isWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === "windows";

/** The pod's root is not the node's. */
export const hasOwnUsers = ({ spec }: CheckedPod): boolean => spec.hostUsers === false;

export function unless(exempt: (pod: CheckedPod) => boolean, check: CheckPod): CheckPod {
  return (pod) => (exempt(pod) ? undefined : check(pod));
}
