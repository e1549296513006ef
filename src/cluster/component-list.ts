// Which components make a cluster out of a server, by the name under which they act. Order is not important: each
// waits for the views it needs.
import {
  createClaimProtection,
  createVolumeProtection,
} from "../controllers/claim-protection/controller.ts";
import { createDeploymentController } from "../controllers/deployment/controller.ts";
import { createDisruptionController } from "../controllers/disruption/controller.ts";
import { createEndpointSliceController } from "../controllers/endpoint-slice/controller.ts";
import { createEndpointsController } from "../controllers/endpoints/controller.ts";
import { createLeaseGarbageCollector } from "../controllers/lease-garbage-collector/controller.ts";
import { createReplicaSetController } from "../controllers/replica-set/controller.ts";
import { createReplicationController } from "../controllers/replication-controller/controller.ts";
import { createResourceQuotaController } from "../controllers/resource-quota/controller.ts";
import { createVolumeBinder } from "../controllers/volume-binder/controller.ts";
import type { ComponentFactory } from "../informer/component.ts";

export const components: readonly (readonly [name: string, factory: ComponentFactory])[] = [
  ["deployment-controller", createDeploymentController],
  ["disruption-controller", createDisruptionController],
  ["endpoint-controller", createEndpointsController],
  ["endpointslice-controller", createEndpointSliceController],
  ["lease-garbage-collector", createLeaseGarbageCollector],
  ["persistent-volume-binder", createVolumeBinder],
  ["pv-protection-controller", createVolumeProtection],
  ["pvc-protection-controller", createClaimProtection],
  ["replicaset-controller", createReplicaSetController],
  ["replication-controller", createReplicationController],
  ["resourcequota-controller", createResourceQuotaController],
];
