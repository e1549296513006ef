// Tells expectations what the pod informer sees of an owner's pods coming and going.
import type { Pod } from "../../api/types/core-v1.ts";
import { type ApiObject, keyOf } from "../../client/served-object.ts";
import type { Expectations } from "../../informer/expectations.ts";
import type { Informer } from "../../informer/informer.ts";
import { type Owners, controllingOwner } from "./owner-keys.ts";
import { isTerminating } from "./pod-state.ts";

/** Call it before the controller's own watch of pods, so that a sync that a pod wakes knows of it. */
export function expectPods<O extends ApiObject>(
  pods: Informer<Pod>,
  owners: Owners<O>,
  expectations: Expectations,
): void {
  pods.addHandler(({ type, object }) => {
    const owner = controllingOwner(owners, object);
    if (owner === undefined) return;
    const key = keyOf({ metadata: owner.metadata });
    if (type === "added") expectations.creationObserved(key);
    if (type === "deleted" || isTerminating(object))
      expectations.deletionObserved(key, object.metadata.uid);
  });
}
