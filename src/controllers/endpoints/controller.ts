// Keeps the Endpoints of every Service that selects pods.
import { keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import { type RetryLaw, retryUsual } from "../../informer/work-queue.ts";
import { selectorOf, serviceKeysOf } from "../endpoint-slice/service-pods.ts";
import { TriggerTimes } from "../endpoint-slice/trigger-times.ts";
import { applyEndpoints, removeEndpoints } from "./apply.ts";
import { managedByLabel, planEndpoints } from "./plan.ts";

const account = "endpoint-controller";
/** --concurrent-endpoint-syncs */
const workers = 5;
const retry: RetryLaw = { ...retryUsual, initialMs: 1_000 };

export function createEndpointsController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const services = informers.of("services");
  const pods = informers.of("pods");
  const endpoints = informers.of("endpoints");
  const recorder = context.recorderOf(account, client);
  const times = new TriggerTimes();
  const writer = { endpoints: client.resource("endpoints"), recorder };

  const sync = async (key: string): Promise<void> => {
    const service = services.lister.find(key);
    const current = endpoints.lister.find(key);
    if (service === undefined) {
      times.forget(key);
      // Those without a Service are somebody's own (leader election of old, DNS by hand).
      const ours = departed.delete(key) || current?.metadata.labels?.[managedByLabel] === account;
      if (current !== undefined && ours) await removeEndpoints(key, writer);
      return;
    }
    const selector = selectorOf(service);
    if (selector === undefined) return;
    const found = pods.lister.select(service.metadata.namespace, selector);
    const triggerTime = times.next(key, service, found);
    const plan = planEndpoints({ service, pods: found, current, triggerTime });
    await applyEndpoints(service, plan, writer);
  };

  /** Services that were seen to go. */
  const departed = new Set<string>();
  const controller = new Controller(host, { name: account, workers, retry, sync });
  controller.watch(services, ({ type, object }) => {
    const key = keyOf(object);
    if (type === "deleted") departed.add(key);
    else departed.delete(key);
    return [key];
  });
  controller.watch(pods, (change) => serviceKeysOf(services.lister, change));
  controller.watch(endpoints, ({ object }) => [keyOf(object)]);
  return controller;
}
