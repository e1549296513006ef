// Keeps the size of what HorizontalPodAutoscalers speak of: each is looked at every 15 s, with fresh metrics and scale.
import { StatusError } from "../../api/meta/errors.ts";
import { parseLabelSelector } from "../../api/meta/label-selector.ts";
import { schema } from "../../api/schema/schema.ts";
import type { Scale } from "../../api/types/autoscaling-v1.ts";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
} from "../../api/types/autoscaling-v2.ts";
import type { Client } from "../../client/client.ts";
import { listAll } from "../../client/pager.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type ApiObject, type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import type { Informer } from "../../informer/informer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { type Memory, noMemory } from "./bounds.ts";
import { autoscalerLaw } from "./law.ts";
import { type AutoscalerPlan, planAutoscaler, planFailure } from "./plan.ts";

const account = "horizontal-pod-autoscaler";
/** --concurrent-horizontal-pod-autoscaler-syncs */
const workers = 5;

type Autoscaler = Readonly<Served<HorizontalPodAutoscaler>>;

interface Ground {
  readonly host: Host;
  readonly client: Client;
  readonly pods: Informer<Pod>;
  readonly recorder: EventRecorder;
}

export function createHorizontalPodAutoscaler(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const autoscalers = informers.of("horizontalpodautoscalers.autoscaling");
  const pods = informers.of("pods");
  const ground = { host, client, pods, recorder: context.recorderOf(account, client) };
  const memories = new Map<string, Memory>();
  const specs = new Map<string, string>();

  const sync = async (key: string): Promise<SyncOutcome | void> => {
    const autoscaler = autoscalers.lister.find(key);
    if (autoscaler === undefined) {
      memories.delete(key);
      return;
    }
    const memory = memories.get(key) ?? noMemory;
    memories.set(key, await scale(ground, autoscaler, memory));
    return { requeueAfterMs: autoscalerLaw.periodMs };
  };

  const controller = new Controller(host, { name: account, workers, retry: retryUsual, sync });
  controller.needs(pods);
  // Its own writes of the status are no reason to look again before the time.
  controller.watch(autoscalers, ({ type, object }) => {
    const key = keyOf(object);
    const spec = JSON.stringify(object.spec);
    const isNew = specs.get(key) !== spec;
    if (type === "deleted") specs.delete(key);
    else specs.set(key, spec);
    return type === "deleted" || isNew ? [key] : [];
  });
  return controller;
}

/** Gives what is to be remembered. */
async function scale(ground: Ground, autoscaler: Autoscaler, memory: Memory): Promise<Memory> {
  const { host, client, recorder } = ground;
  const { scaleTargetRef } = autoscaler.spec ?? { scaleTargetRef: { kind: "", name: "" } };
  const fail = async (reason: string, what: string, error: unknown): Promise<Memory> => {
    if (!(error instanceof StatusError)) throw error;
    const message = `the HPA controller was unable to ${what} scale: ${error.message}`;
    const status = planFailure(autoscaler, { reason, message }, host.clock.now());
    await tellStatus(client, autoscaler, status);
    return memory;
  };
  const target = targetOf(client, scaleTargetRef);
  const { namespace = "" } = autoscaler.metadata;
  let found: Served<Scale>;
  try {
    found = await target.getScale({ namespace, name: scaleTargetRef.name });
  } catch (error) {
    if (error instanceof StatusError)
      recorder.event(autoscaler, "Warning", "FailedGetScale", error.message);
    return fail("FailedGetScale", "get the target's current", error);
  }
  const plan = await look(ground, autoscaler, { scale: found, memory });
  if (plan.resize !== undefined) {
    const { replicas, reason } = plan.resize;
    try {
      await target.updateScale({ ...found, spec: { ...found.spec, replicas } });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const message = `New size: ${replicas}; reason: ${reason}; error: ${error.message}`;
      recorder.event(autoscaler, "Warning", "FailedRescale", message);
      return fail("FailedUpdateScale", "update the target", error);
    }
  }
  for (const { type, reason, message } of plan.events)
    recorder.event(autoscaler, type, reason, message);
  await tellStatus(client, autoscaler, plan.status);
  return plan.memory;
}

interface Found {
  readonly scale: Served<Scale>;
  readonly memory: Memory;
}

async function look(
  { host, client, pods }: Ground,
  autoscaler: Autoscaler,
  { scale: found, memory }: Found,
): Promise<AutoscalerPlan> {
  const { namespace = "" } = autoscaler.metadata;
  const labelSelector = found.status?.selector ?? "";
  const metrics = await listAll(client.resource("pods.metrics.k8s.io"), {
    namespace,
    labelSelector,
    limit: 0,
  });
  return planAutoscaler({
    autoscaler,
    current: found.spec?.replicas ?? 0,
    pods: pods.lister.select(namespace, parseLabelSelector(labelSelector)),
    metrics: metrics.items,
    memory,
    now: host.clock.now(),
    law: autoscalerLaw,
  });
}

/** Any kind that has a scale. Of one that is not built in the server says that there is none. */
function targetOf(
  client: Client,
  { apiVersion = "", kind }: CrossVersionObjectReference,
): ResourceClient<ApiObject> {
  const [first = "", second] = apiVersion.split("/");
  const [group, version] = second === undefined ? ["", first] : [first, second];
  const known = schema.resources.find(
    (one) => one.group === group && one.version === version && one.kind === kind,
  );
  const resource = known?.resource ?? `${kind.toLowerCase()}s`;
  return client.dynamic({ group, version, resource, kind, namespaced: true });
}

async function tellStatus(
  client: Client,
  autoscaler: Autoscaler,
  status: HorizontalPodAutoscalerStatus,
): Promise<void> {
  if (JSON.stringify(autoscaler.status) === JSON.stringify(status)) return;
  const resource = client.resource("horizontalpodautoscalers.autoscaling");
  const fresh = await resource.find(refOf(autoscaler));
  if (fresh === undefined || fresh.metadata.uid !== autoscaler.metadata.uid) return;
  await resource.updateStatus({ ...fresh, status });
}
