// Which components make a cluster out of a server, by the name under which they act. Order is not important: each
// waits for the views it needs.
import type { ComponentFactory } from "../informer/component.ts";
import { schedulerProfile } from "../scheduler/profile.ts";
import { podScheduler } from "../scheduler/scheduler.ts";

export const components: readonly (readonly [name: string, factory: ComponentFactory])[] = [
  ["kube-scheduler", podScheduler(schedulerProfile)],
];
