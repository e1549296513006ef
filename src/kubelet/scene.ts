// What a step of the plan sees of its node, and what it says: the arguments that a pod's containers share. Plain data.
import type { Pod } from "../api/types/core-v1.ts";
import type { PodPart } from "./pod-part.ts";
import type { KubeletProfile } from "./profile.ts";

/** An event about a container, or about the pod where there is no field path. */
export interface Saying {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string;
}

/** What became of the references in a container's environment. */
export type ConfigOutcome =
  | { readonly is: "ready" }
  | { readonly is: "bad"; readonly failure: string };

export interface Scene {
  readonly pod: Pod;
  /** The pod's containers. */
  readonly parts: readonly PodPart[];
  readonly now: number;
  readonly profile: KubeletProfile;
  readonly hasImage: (image: string) => boolean;
  /** The pod's volumes are there; nothing starts before. */
  readonly mounted: boolean;
  /** Undefined: not looked up yet. Asked for containers that are `configuring`. */
  readonly configOf: (container: string) => ConfigOutcome | undefined;
  /** The same arguments give the same ID, different ones another. */
  readonly containerId: (container: string, run: number) => string;
  readonly says: Saying[];
  /** Images that came while stepping. */
  readonly pulled: string[];
}
