// Which components make a cluster out of a server, by the name under which they act. Order is not important: each
// waits for the views it needs.
import { createCronJobController } from "../controllers/cron-job/controller.ts";
import { createGarbageCollector } from "../controllers/garbage-collector/controller.ts";
import { jobController } from "../controllers/job/controller.ts";
import { createNamespaceController } from "../controllers/namespace/controller.ts";
import { nodeLifecycleController } from "../controllers/node-lifecycle/controller.ts";
import { createPodGarbageCollector } from "../controllers/pod-garbage-collector/controller.ts";
import { taintEvictionController } from "../controllers/taint-eviction/controller.ts";
import { createTtlAfterFinishedController } from "../controllers/ttl-after-finished/controller.ts";
import { createDaemonSetController } from "../controllers/daemon-set/controller.ts";
import {
  createClaimProtection,
  createVolumeProtection,
} from "../controllers/claim-protection/controller.ts";
import { createDeploymentController } from "../controllers/deployment/controller.ts";
import { createDisruptionController } from "../controllers/disruption/controller.ts";
import { createEndpointSliceController } from "../controllers/endpoint-slice/controller.ts";
import { createEndpointsController } from "../controllers/endpoints/controller.ts";
import { createHorizontalPodAutoscaler } from "../controllers/horizontal-pod-autoscaler/controller.ts";
import { createLeaseGarbageCollector } from "../controllers/lease-garbage-collector/controller.ts";
import { createReplicaSetController } from "../controllers/replica-set/controller.ts";
import { createReplicationController } from "../controllers/replication-controller/controller.ts";
import { createStatefulSetController } from "../controllers/stateful-set/controller.ts";
import { createResourceQuotaController } from "../controllers/resource-quota/controller.ts";
import { createVolumeBinder } from "../controllers/volume-binder/controller.ts";
import { createVolumeProvisioner } from "../controllers/volume-provisioner/controller.ts";
import { createRootCaPublisher } from "../controllers/root-ca/controller.ts";
import { createServiceAccountController } from "../controllers/service-account/controller.ts";
import type { ComponentFactory } from "../informer/component.ts";
import { podScheduler } from "../scheduler/scheduler.ts";
import type { KubernetesProfile } from "./kubernetes-profile.ts";

export type ComponentList = readonly (readonly [name: string, factory: ComponentFactory])[];

export function componentsOf(profile: KubernetesProfile): ComponentList {
  return [
    ["cronjob-controller", createCronJobController],
    ["garbage-collector-controller", createGarbageCollector],
    ["job-controller", jobController(profile.job)],
    ["namespace-controller", createNamespaceController],
    ["node-lifecycle-controller", nodeLifecycleController(profile.nodeLifecycle)],
    ["pod-garbage-collector-controller", createPodGarbageCollector],
    ...taintEvictionOf(profile),
    ["ttl-after-finished-controller", createTtlAfterFinishedController],
    ["deployment-controller", createDeploymentController],
    ["disruption-controller", createDisruptionController],
    ["endpoint-controller", createEndpointsController],
    ["endpointslice-controller", createEndpointSliceController],
    ["horizontal-pod-autoscaler-controller", createHorizontalPodAutoscaler],
    ["lease-garbage-collector", createLeaseGarbageCollector],
    ["persistent-volume-binder", createVolumeBinder],
    ["pv-protection-controller", createVolumeProtection],
    ["pvc-protection-controller", createClaimProtection],
    ["replicaset-controller", createReplicaSetController],
    ["replication-controller", createReplicationController],
    ["statefulset-controller", createStatefulSetController],
    ["daemon-set-controller", createDaemonSetController],
    ["kube-scheduler", podScheduler(profile.scheduler)],
    ["resourcequota-controller", createResourceQuotaController],
    ["root-ca-cert-publisher", createRootCaPublisher],
    ["service-account-controller", createServiceAccountController],
  ];
}

/** Beside them where there are simulated nodes. */
export const diskComponents: ComponentList = [["volume-provisioner", createVolumeProvisioner]];

function taintEvictionOf({ taintEviction }: KubernetesProfile): ComponentList {
  if (taintEviction === undefined) return [];
  return [["taint-eviction-controller", taintEvictionController(taintEviction)]];
}
