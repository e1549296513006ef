// Which components make a cluster out of a server, by the name under which they act. Order is not important: each
// waits for the views it needs.
import { startCronJobController } from "../controllers/cron-job/controller.ts";
import { startGarbageCollector } from "../controllers/garbage-collector/controller.ts";
import { startJobController } from "../controllers/job/controller.ts";
import { startNamespaceController } from "../controllers/namespace/controller.ts";
import { startNodeLifecycleController } from "../controllers/node-lifecycle/controller.ts";
import { startPodGarbageCollector } from "../controllers/pod-garbage-collector/controller.ts";
import { startTaintEvictionController } from "../controllers/taint-eviction/controller.ts";
import { startTtlAfterFinishedController } from "../controllers/ttl-after-finished/controller.ts";
import type { ComponentFactory } from "../informer/component.ts";

export const components: readonly (readonly [name: string, factory: ComponentFactory])[] = [
  ["cronjob-controller", startCronJobController],
  ["garbage-collector-controller", startGarbageCollector],
  ["job-controller", startJobController],
  ["namespace-controller", startNamespaceController],
  ["node-lifecycle-controller", startNodeLifecycleController],
  ["pod-garbage-collector-controller", startPodGarbageCollector],
  ["taint-eviction-controller", startTaintEvictionController],
  ["ttl-after-finished-controller", startTtlAfterFinishedController],
];
