// Defaults of the apps group (upstream: pkg/apis/apps/v1/defaults.go).
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../types/apps-v1.ts";
import { defaultPersistentVolumeClaim } from "./core-defaults.ts";
import { defaultPodTemplate } from "./pod-defaults.ts";

const revisionHistoryLimit = 10;
const progressDeadlineSeconds = 600;

export function defaultDeployment(deployment: Deployment): void {
  const spec = (deployment.spec ??= { template: { metadata: {} } });
  spec.replicas ??= 1;
  defaultPodTemplate((spec.template ??= { metadata: {} }));
  const strategy = (spec.strategy ??= {});
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= "25%";
    rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= revisionHistoryLimit;
  spec.progressDeadlineSeconds ??= progressDeadlineSeconds;
}

export function defaultDaemonSet(daemonSet: DaemonSet): void {
  const spec = (daemonSet.spec ??= { template: { metadata: {} } });
  defaultPodTemplate((spec.template ??= { metadata: {} }));
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= 1;
    rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= revisionHistoryLimit;
}

export function defaultReplicaSet(replicaSet: ReplicaSet): void {
  const spec = (replicaSet.spec ??= {});
  spec.replicas ??= 1;
  defaultPodTemplate((spec.template ??= { metadata: {} }));
}

export function defaultStatefulSet(statefulSet: StatefulSet): void {
  const spec = (statefulSet.spec ??= { template: { metadata: {} }, serviceName: "" });
  spec.replicas ??= 1;
  defaultPodTemplate((spec.template ??= { metadata: {} }));
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind ||= "PersistentVolumeClaim";
    claim.apiVersion ||= "v1";
    defaultPersistentVolumeClaim(claim);
  }
  spec.podManagementPolicy ||= "OrderedReady";
  const strategy = (spec.updateStrategy ??= {});
  if (strategy.type === undefined || strategy.type === "") {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate) {
    strategy.rollingUpdate.partition ??= 0;
  }
  spec.revisionHistoryLimit ??= revisionHistoryLimit;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= "Retain";
  retention.whenScaled ||= "Retain";
}
