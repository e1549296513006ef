// PersistentVolumes note when their phase last changed (upstream: core/persistentvolume/strategy.go).
import type { KubeObject } from "../../../api/object.ts";
import type { PersistentVolumeStatus } from "../../../api/types/core-v1.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";
import { timestamp } from "../../../api/meta/timestamp.ts";

export const persistentVolumeStrategy: Strategy = {
  ...plainStrategy,
  returnsDeleted: true,
  prepareForCreate: (object, { now }) => {
    statusOf(object).lastPhaseTransitionTime = timestamp(now);
  },
  subresources: {
    status: (object, old, { now }) => {
      const status = statusOf(object);
      const before = (old["status"] ?? {}) as PersistentVolumeStatus;
      if (status.phase === before.phase) {
        status.lastPhaseTransitionTime ??= before.lastPhaseTransitionTime ?? null;
        if (status.lastPhaseTransitionTime === null) delete status.lastPhaseTransitionTime;
      } else if (
        status.lastPhaseTransitionTime === undefined ||
        status.lastPhaseTransitionTime === before.lastPhaseTransitionTime
      ) {
        status.lastPhaseTransitionTime = timestamp(now);
      }
    },
  },
};

function statusOf(object: KubeObject): PersistentVolumeStatus {
  return (object["status"] ??= {});
}
