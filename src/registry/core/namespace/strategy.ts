// Namespaces: spec.finalizers keep a deleted one until its content is gone; only /finalize may change them
// (upstream: core/namespace/strategy.go and storage).
import { defaultNamespace } from "../../../api/defaults/core-defaults.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Namespace } from "../../../api/types/core-v1.ts";
import { keep } from "../../generic/prepare.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";

export const namespaceStrategy: Strategy = {
  ...plainStrategy,
  isHeld: (object) => ((object as Namespace).spec?.finalizers ?? []).length > 0,
  markDeleted,
  // The name label again: with generateName there was no name yet when defaults were applied.
  prepareForCreate: (object) => defaultNamespace(object),
  prepareForUpdate: (object, old) => keep(object, old, "spec"),
  subresources: { finalize: (object, old) => keep(object, old, "status") },
};

function markDeleted(object: KubeObject): void {
  // Upstream's own deletion of namespaces sets no grace period.
  delete object.metadata.deletionGracePeriodSeconds;
  const namespace = object as Namespace;
  namespace.status = { ...namespace.status, phase: "Terminating" };
}
