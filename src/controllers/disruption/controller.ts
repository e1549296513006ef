// Keeps the status of PodDisruptionBudgets, which evictions ask.
import { labelSelectorOf, matchesLabels } from "../../api/meta/label-selector.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { PodDisruptionBudget } from "../../api/types/policy-v1.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { byNamespace } from "../../informer/index-functions.ts";
import type { Change, Informer } from "../../informer/informer.ts";
import type { Lister } from "../../informer/indexer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { type BudgetWriter, applyBudget, applyStale, sayUnmanaged } from "./apply.ts";
import { type ExpectedScale, ScaleFinder } from "./expected-scale.ts";
import { dependsOnScale, planBudget, planFailure } from "./plan.ts";
import { isTold, planStale } from "./stale-target.ts";
import { messageOf } from "../../std/error-message.ts";

const account = "disruption-controller";
/** Events come from another name than the account's, as upstream. */
const recorderName = "controllermanager";

export function createDisruptionController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const budgets = informers.of("poddisruptionbudgets.policy");
  const pods = informers.of("pods");
  const owners = [
    informers.of("deployments.apps"),
    informers.of("replicasets.apps"),
    informers.of("statefulsets.apps"),
    informers.of("replicationcontrollers"),
  ] as const;
  const scales = new ScaleFinder(client, informers);
  const writer: BudgetWriter = {
    budgets: client.resource("poddisruptionbudgets.policy"),
    pods: client.resource("pods"),
    recorder: context.recorderOf(recorderName, client),
  };

  const sync = async (key: string): Promise<SyncOutcome | void> => {
    const budget = budgets.lister.find(key);
    if (budget === undefined) return;
    const selector = labelSelectorOf(budget.spec?.selector);
    const found = pods.lister.select(budget.metadata.namespace, selector);
    if (found.length === 0)
      writer.recorder.event(budget, "Normal", "NoPods", "No matching pods found");
    let scale: ExpectedScale = { count: 0, unmanaged: [] };
    try {
      if (dependsOnScale(budget)) scale = await scales.of(found);
    } catch (error) {
      await fail(budget, messageOf(error));
      throw error;
    }
    if (scale.unmanaged.length > 0) sayUnmanaged(budget, scale.unmanaged, writer);
    const view = { budget, pods: found, expectedScale: scale.count };
    const plan = planBudget(view, host.clock.now());
    await applyBudget(budget, plan, writer);
    const { requeueAfterMs } = plan;
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  };

  const fail = (budget: Readonly<Served<PodDisruptionBudget>>, why: string): Promise<void> => {
    const message = `Failed to calculate the number of expected pods: ${why}`;
    writer.recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", message);
    const status = planFailure(budget, why, host.clock.now());
    return applyBudget(budget, { status, notDeleted: [] }, writer);
  };

  const controller = new Controller(host, { name: account, workers: 1, retry: retryUsual, sync });
  for (const owner of owners) controller.needs<never>(owner as never);
  controller.watch(budgets, ({ object }) => [keyOf(object)]);
  controller.watch(pods, (change) => budgetKeysOf(budgets.lister, change));

  const stale = staleController(host, pods, writer);
  return {
    start() {
      controller.start();
      stale.start();
    },
    async stop() {
      await Promise.all([controller.stop(), stale.stop()]);
    },
  };
}

function staleController(host: Host, pods: Informer<Pod>, writer: BudgetWriter): Controller {
  const controller = new Controller(host, {
    name: `${account}/stale-pods`,
    workers: 1,
    retry: retryUsual,
    async sync(key) {
      const pod = pods.lister.find(key);
      const plan = pod === undefined ? undefined : planStale(pod, host.clock.now());
      if (plan?.do === "wait") return { requeueAfterMs: plan.ms };
      if (plan?.do === "reset") await applyStale(pod!, plan.conditions, writer);
      return {};
    },
  });
  controller.watch(pods, ({ type, object }) =>
    type !== "deleted" && isTold(object) ? [keyOf(object)] : [],
  );
  return controller;
}

function budgetKeysOf(budgets: Lister<PodDisruptionBudget>, change: Change<Pod>): string[] {
  const { namespace = "" } = change.object.metadata;
  const states = change.type === "updated" ? [change.previous, change.object] : [change.object];
  return budgets
    .by(byNamespace, namespace)
    .filter(({ spec }) => {
      const selector = labelSelectorOf(spec?.selector);
      return states.some(({ metadata }) => matchesLabels(selector, metadata.labels));
    })
    .map(keyOf);
}
