// Which components make a cluster out of a server, by the name under which they act. Order is not important: each
// waits for the views it needs.
import { createDeploymentController } from "../controllers/deployment/controller.ts";
import { createDisruptionController } from "../controllers/disruption/controller.ts";
import { createEndpointSliceController } from "../controllers/endpoint-slice/controller.ts";
import { createEndpointsController } from "../controllers/endpoints/controller.ts";
import { createReplicaSetController } from "../controllers/replica-set/controller.ts";
import { createReplicationController } from "../controllers/replication-controller/controller.ts";
import type { ComponentFactory } from "../informer/component.ts";

export const components: readonly (readonly [name: string, factory: ComponentFactory])[] = [
  ["deployment-controller", createDeploymentController],
  ["disruption-controller", createDisruptionController],
  ["endpoint-controller", createEndpointsController],
  ["endpointslice-controller", createEndpointSliceController],
  ["replicaset-controller", createReplicaSetController],
  ["replication-controller", createReplicationController],
];
