// Keeps the EndpointSlices of every Service that selects pods: which change wakes which Service, and one sync of one.
import { type ApiObject, keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import { type Index, byNodeName } from "../../informer/index-functions.ts";
import { type RetryLaw, retryUsual } from "../../informer/work-queue.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { applySlices } from "./apply.ts";
import { planSlices } from "./plan.ts";
import {
  endpointSliceProfile,
  managedBy,
  managedByLabel,
  serviceNameLabel,
  zoneLabel,
} from "./profile.ts";
import { keysOfPod, selectorOf, serviceKeysOf } from "./service-pods.ts";
import { TriggerTimes } from "./trigger-times.ts";
import { WrittenSlices } from "./written-slices.ts";

const account = "endpointslice-controller";
const retry: RetryLaw = { ...retryUsual, initialMs: 1_000 };

/** Slices of this controller by their Service. */
const byService: Index<ApiObject> = {
  name: "managed slices by service",
  valuesOf: (slice) => {
    const key = serviceKeyOf(slice);
    return key === undefined ? [] : [key];
  },
};

export function createEndpointSliceController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const services = informers.of("services");
  const pods = informers.of("pods", [byNodeName]);
  const nodes = informers.of("nodes");
  const slices = informers.of("endpointslices.discovery.k8s.io", [byService]);
  const written = new WrittenSlices();
  const times = new TriggerTimes();
  const writer = { slices: client.resource("endpointslices.discovery.k8s.io"), written };

  const sync = async (key: string): Promise<void> => {
    const service = services.lister.find(key);
    // Its slices have it as their owner and are collected after it.
    if (service === undefined) {
      times.forget(key);
      return written.forget(key);
    }
    const selector = selectorOf(service);
    if (selector === undefined || isTerminating(service)) return;
    const mine = slices.lister.by(byService, key);
    // What is missing will come as a change, and wake the Service again.
    if (!written.shownBy(key, mine)) return;
    const found = pods.lister.select(service.metadata.namespace, selector);
    const plan = planSlices({
      service,
      pods: found,
      slices: mine,
      findNode: (name) => nodes.lister.find(name),
      triggerTime: times.next(key, service, found),
    });
    await applySlices(service, plan, writer);
  };

  const { workers } = endpointSliceProfile;
  const controller = new Controller(host, { name: account, workers, retry, sync });
  controller.watch(services, ({ object }) => [keyOf(object)]);
  controller.watch(pods, (change) => serviceKeysOf(services.lister, change));
  controller.watch(slices, ({ type, object }) => {
    const key = serviceKeyOf(object);
    if (key === undefined) return [];
    if (type === "deleted") written.sawDeletion(key, object);
    return [key];
  });
  // Pods may be seen before their node, and zones may change.
  controller.watch(nodes, (change) => {
    const { name, labels } = change.object.metadata;
    const before = change.type === "updated" ? change.previous.metadata.labels : undefined;
    if (change.type === "updated" && zoneOf(before) === zoneOf(labels)) return [];
    return pods.lister.by(byNodeName, name).flatMap((pod) => keysOfPod(services.lister, pod));
  });
  return controller;
}

function zoneOf(labels: Record<string, string> | undefined): string | undefined {
  return labels?.[zoneLabel];
}

function serviceKeyOf({ metadata }: ApiObject): string | undefined {
  const { namespace = "", labels = {} } = metadata;
  const name = labels[serviceNameLabel];
  return name === undefined || labels[managedByLabel] !== managedBy
    ? undefined
    : `${namespace}/${name}`;
}
