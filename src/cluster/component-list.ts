// Which components make a cluster out of a server, by the name under which they act. Order is not important: each
// waits for the views it needs.
import { createDaemonSetController } from "../controllers/daemon-set/controller.ts";
import { createDeploymentController } from "../controllers/deployment/controller.ts";
import { createDisruptionController } from "../controllers/disruption/controller.ts";
import { createEndpointSliceController } from "../controllers/endpoint-slice/controller.ts";
import { createEndpointsController } from "../controllers/endpoints/controller.ts";
import { createReplicaSetController } from "../controllers/replica-set/controller.ts";
import { createReplicationController } from "../controllers/replication-controller/controller.ts";
import { createStatefulSetController } from "../controllers/stateful-set/controller.ts";
import type { ComponentFactory } from "../informer/component.ts";
import { schedulerProfile } from "../scheduler/profile.ts";
import { podScheduler } from "../scheduler/scheduler.ts";

export const components: readonly (readonly [name: string, factory: ComponentFactory])[] = [
  ["deployment-controller", createDeploymentController],
  ["disruption-controller", createDisruptionController],
  ["endpoint-controller", createEndpointsController],
  ["endpointslice-controller", createEndpointSliceController],
  ["replicaset-controller", createReplicaSetController],
  ["replication-controller", createReplicationController],
  ["statefulset-controller", createStatefulSetController],
  ["daemon-set-controller", createDaemonSetController],
  ["kube-scheduler", podScheduler(schedulerProfile)],
];
