// The seam between a node's pods and the Secrets and ConfigMaps that they use: how one kind of them is read on one node.
// The three implementations are the kubelet's configMapAndSecretChangeDetectionStrategy: get-source, cache-source,
// watch-source. What a pod does with what it reads is not known here.
import type { ConfigMap, Secret } from "../../api/types/core-v1.ts";
import type { ObjectRef } from "../../client/served-object.ts";

export type ObjectKind = "secret" | "configmap";

/** Its namespace is always there. */
export interface ObjectName extends ObjectRef {
  readonly namespace: string;
}

/** What a node keeps of an object: never the contents, which no simulated container looks into. */
export interface HeldObject {
  readonly resourceVersion: string;
  readonly immutable: boolean;
  readonly keys: readonly string[];
}

export type Reading =
  | { readonly is: "found"; readonly object: HeldObject }
  /** `why` as the kubelet says it. */
  | { readonly is: "missing"; readonly why: string }
  | { readonly is: "failed"; readonly why: string };

export interface ObjectSource {
  /** One more pod of the node uses it. As often as it is called, `release` has to be. */
  reference(name: ObjectName): void;
  release(name: ObjectName): void;
  /** At once when it is known, otherwise after the strategy's own wait. Never rejects; see `Reading`. */
  read(name: ObjectName): Reading | Promise<Reading>;
  /** Watches that stand now; 0 for strategies without. */
  readonly watches: number;
  /** How often a watch was begun anew (the kubelet's log line `Starting reflector`). */
  readonly starts: number;
  /** The node reaches nobody: nothing is asked any more, what is known stays. */
  suspend(): void;
  resume(): void;
  /** The kubelet is gone with all it knew. */
  clear(): void;
}

export function heldOf(object: Secret | ConfigMap): HeldObject {
  const { resourceVersion = "" } = object.metadata;
  const binary = "binaryData" in object ? object.binaryData : undefined;
  return {
    resourceVersion,
    immutable: object.immutable === true,
    keys: [...Object.keys(object.data ?? {}), ...Object.keys(binary ?? {})],
  };
}

export function sourceKey({ namespace, name }: ObjectName): string {
  return `${namespace}/${name}`;
}

/** Who reads what no pod of the node has registered. */
export function notRegistered({ namespace, name }: ObjectName): Reading {
  const why = `object ${JSON.stringify(namespace)}/${JSON.stringify(name)} not registered`;
  return { is: "failed", why };
}
