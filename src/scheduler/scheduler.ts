// The scheduler as a component: informers feed the state and the queue; pods are taken one by one, planned at once, and
// bound in the background (upstream: schedule_one.go, eventhandlers.go). Decisions are in plan.ts and preemption.ts,
// writes in apply.ts.
import { labelSelectorOf } from "../api/meta/label-selector.ts";
import type { Namespace, Node, Pod } from "../api/types/core-v1.ts";
import type { PodDisruptionBudget } from "../api/types/policy-v1.ts";
import type { Client } from "../client/client.ts";
import { userIdentity } from "../client/identity.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { Served } from "../client/served-object.ts";
import { AbortedError } from "../client/waiting.ts";
import type { RandomStream } from "../host/host.ts";
import type { Component, ComponentContext, ComponentFactory } from "../informer/component.ts";
import { type EventRecorder, referenceTo } from "../informer/event-recorder.ts";
import type { Change, Informer } from "../informer/informer.ts";
import { equalJson } from "../std/json.ts";
import { bind, evictVictim, tellWaits } from "./apply.ts";
import { ClusterState } from "./cluster-state.ts";
import { type Unfit, afterwards, fitMessage } from "./fit-message.ts";
import { filters } from "./filter/filters.ts";
import { nodeEventsOf } from "./node-changes.ts";
import { Nominations } from "./nominations.ts";
import type { Refused } from "./checks.ts";
import { NodeJudge } from "./node-judge.ts";
import { planPod } from "./plan.ts";
import type { ClusterEvent } from "./plugin.ts";
import { type PodFacts, podFactsOf } from "./pod-facts.ts";
import { type Budget, type Preemption, planPreemption } from "./preemption.ts";
import type { SchedulerProfile } from "./profile.ts";
import { SchedulingQueue } from "./queue.ts";
import { BindingError, type Reservation, VolumeBinder } from "./volumes/volume-binder.ts";
import { isCallFailure } from "../client/reason.ts";

export function podScheduler(profile: SchedulerProfile): ComponentFactory {
  return (context) => new Scheduler(context, profile);
}

/** A recorder writes its events one after another; the events of one pod go to the same. */
const recordersPerName = 8;

class Scheduler implements Component {
  readonly #context: ComponentContext;
  readonly #profile: SchedulerProfile;
  readonly #client: Client;
  readonly #podClient: ResourceClient<Pod>;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #namespaces: Informer<Namespace>;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #volumes: VolumeBinder;
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;
  readonly #nominations = new Nominations();
  readonly #judge: NodeJudge;
  /** Bound by us, not yet seen bound. */
  readonly #assumed = new Set<string>();
  readonly #recorders = new Map<string, EventRecorder>();
  readonly #chance: RandomStream;
  readonly #stopping = new AbortController();
  readonly #writes = new Set<Promise<void>>();
  #starting: Promise<void> | undefined;
  #placing: Promise<void> | undefined;
  #isReady = false;
  #startAt = 0;

  constructor(context: ComponentContext, profile: SchedulerProfile) {
    this.#context = context;
    this.#profile = profile;
    const { host, informers, rateLimit = profile.rateLimit } = context;
    const identity = userIdentity(host.digest, "system:kube-scheduler", []);
    this.#client = context.clientAs("kube-scheduler", identity, { rateLimit });
    this.#podClient = this.#client.resource("pods");
    this.#pods = informers.of("pods");
    this.#nodes = informers.of("nodes");
    this.#namespaces = informers.of("namespaces");
    this.#budgets = informers.of("poddisruptionbudgets.policy");
    this.#volumes = new VolumeBinder(host.clock, informers, this.#client);
    this.#state = new ClusterState(
      (name) => this.#namespaces.lister.find(name)?.metadata.labels ?? {},
      this.#volumes,
    );
    this.#queue = new SchedulingQueue(host.clock, profile, () => this.#wakeUp());
    this.#judge = new NodeJudge(profile);
    this.#chance = host.random.stream("scheduler");
  }

  start(): void {
    this.#starting ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#queue.stop();
    this.#volumes.stop();
    await this.#starting;
    await this.#placing;
    await Promise.all(this.#writes);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const all = [this.#pods, this.#nodes, this.#namespaces, this.#budgets];
    const views = [...all, ...this.#volumes.informers];
    try {
      await Promise.all(views.map((informer) => informer.whenSynced(signal)));
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
      return;
    }
    this.#nodes.addHandler((change) => this.#onNode(change));
    this.#pods.addHandler((change) => this.#onPod(change));
    this.#namespaces.addHandler(() => this.#queue.wake("namespace changed"));
    this.#volumes.start(() => this.#queue.wake("volume changed"));
    this.#isReady = true;
    this.#wakeUp();
  }

  /* ---- what the informers tell ---- */

  #onNode(change: Change<Node>): void {
    const { object } = change;
    if (change.type === "deleted") return this.#state.removeNode(object.metadata.name);
    if (change.type === "added") {
      this.#state.putNode(object);
      return this.#queue.wake("node added");
    }
    const events = nodeEventsOf(change.previous, object);
    if (events.length === 0) return;
    this.#state.putNode(object);
    for (const event of events) this.#queue.wake(event);
  }

  #onPod(change: Change<Pod>): void {
    const { object } = change;
    const { uid } = object.metadata;
    if (change.type === "deleted" || isOver(object)) return this.#forget(uid);
    const node = object.spec?.nodeName ?? "";
    if (node !== "") return this.#onAssigned(object, node);
    if (!this.#profile.names.includes(object.spec?.schedulerName ?? "")) return;
    if (this.#assumed.has(uid)) return;
    const isGated = (object.spec?.schedulingGates ?? []).length > 0;
    if (isGated || typeof object.metadata.deletionTimestamp === "string") return this.#forget(uid);
    const facts = this.#factsOf(object);
    // What we have decided may not have been written yet.
    const nominated = object.status?.nominatedNodeName ?? "";
    this.#nominations.put(facts, nominated === "" ? this.#nominations.nodeOf(uid) : nominated);
    this.#queue.put(facts);
  }

  #onAssigned(pod: Readonly<Served<Pod>>, node: string): void {
    const { uid } = pod.metadata;
    const known = this.#state.find(node)?.pods.get(uid);
    const isNew = known === undefined || this.#assumed.has(uid);
    this.#assumed.delete(uid);
    this.#queue.remove(uid);
    this.#nominations.remove(uid);
    if (known !== undefined && !isOtherFor(known.pod, pod)) {
      if (isNew) this.#queue.wake("pod assigned");
      return;
    }
    if (known !== undefined && isSameWork(known.pod, pod)) this.#state.renewPod({ ...known, pod });
    else this.#state.putPod(this.#factsOf(pod), node);
    this.#queue.wake("pod assigned");
  }

  #forget(uid: string): void {
    this.#queue.remove(uid);
    this.#nominations.remove(uid);
    this.#assumed.delete(uid);
    if (this.#state.nodeOf(uid) === undefined) return;
    this.#state.removePod(uid);
    this.#queue.wake("pod gone");
  }

  #factsOf(pod: Readonly<Served<Pod>>): PodFacts {
    return podFactsOf(pod, this.#profile.requestsUsual);
  }

  /* ---- one pod after another ---- */

  #wakeUp(): void {
    if (!this.#isReady || this.#placing !== undefined || this.#stopping.signal.aborted) return;
    this.#placing = this.#placeAll();
  }

  async #placeAll(): Promise<void> {
    const { clock } = this.#context.host;
    // Whoever woke us goes on first, so that pods that come together are seen together.
    await clock.turn();
    let lookedAt = 0;
    while (!this.#stopping.signal.aborted) {
      // Who waits for a volume may do so for minutes, and holds nobody up.
      const busy = this.#writes.size - this.#volumes.waiting;
      if (busy >= this.#profile.bindingsMax) await Promise.race(this.#writes);
      const facts = this.#queue.take();
      if (facts === undefined) break;
      lookedAt += this.#place(facts);
      if (lookedAt < this.#profile.nodesPerTurn) continue;
      lookedAt = 0;
      await clock.turn();
    }
    this.#placing = undefined;
  }

  /** Gives how many nodes were looked at, and one for the pod itself. */
  #place(facts: PodFacts): number {
    const verdict = planPod(facts, this.#state, {
      profile: this.#profile,
      judge: this.#judge,
      nominated: (node) => this.#nominations.on(node, facts.uid),
      startAt: this.#startAt,
      chance: () => this.#chance.unit(),
    });
    const count = Math.max(1, this.#state.nodes.length);
    this.#startAt = (this.#startAt + verdict.lookedAt) % count;
    if (verdict.do === "bind") this.#assume(facts, verdict.node);
    else this.#postpone(facts, verdict);
    return verdict.lookedAt + 1;
  }

  #assume(facts: PodFacts, node: string): void {
    const chosen = this.#state.find(node)!;
    const volumes = this.#volumes.reserve(facts, chosen);
    this.#state.putPod(facts, node);
    this.#assumed.add(facts.uid);
    this.#write(this.#bind(facts, node, volumes));
  }

  async #bind(facts: PodFacts, node: string, volumes: Reservation): Promise<void> {
    try {
      await this.#volumes.carryOut(volumes, node);
      await bind(this.#podClient, facts, node);
    } catch (error) {
      this.#volumes.release(volumes);
      this.#takeBack(facts, error);
      return;
    }
    this.#nominations.remove(facts.uid);
    this.#queue.remove(facts.uid);
    const message = `Successfully assigned ${facts.key} to ${node}`;
    const said = { type: "Normal", reason: "Scheduled", action: "Binding", message } as const;
    this.#recorderFor(facts).eventAbout(referenceTo(facts.pod), said);
  }

  /** The binding was refused or got lost; if it got lost on the way back, the informer will tell. */
  #takeBack(facts: PodFacts, error: unknown): void {
    if (!this.#assumed.delete(facts.uid)) return;
    this.#state.removePod(facts.uid);
    this.#queue.rest(facts.uid);
    this.#queue.wake("pod gone");
    throw error;
  }

  #postpone(facts: PodFacts, unfit: Unfit): void {
    const { refusals, hopeless } = unfit;
    const names = new Set([...refusals.values()].map(({ filter }) => filter));
    const wakers = new Set<ClusterEvent>(["node added"]);
    for (const filter of filters)
      if (names.has(filter.name)) for (const event of filter.wakers) wakers.add(event);
    const preemption = hopeless === "" ? this.#preempt(facts, refusals) : undefined;
    this.#queue.sleep(facts.uid, wakers);
    this.#write(this.#tell(facts, { unfit, preemption }));
  }

  #preempt(facts: PodFacts, refusals: ReadonlyMap<string, Refused>): Preemption | undefined {
    if (this.#state.nodes.length === 0) return undefined;
    const preemption = planPreemption(facts, this.#state, {
      profile: this.#profile,
      refusals,
      budgets: this.#budgets.lister.list().map(budgetOf),
      nominated: (node) => this.#nominations.on(node, facts.uid),
      chance: () => this.#chance.unit(),
    });
    if (preemption.do === "preempt") this.#nominations.put(facts, preemption.node);
    return preemption;
  }

  async #tell(
    facts: PodFacts,
    outcome: {
      readonly unfit: Unfit;
      readonly preemption: Preemption | undefined;
    },
  ): Promise<void> {
    const { unfit, preemption } = outcome;
    const nodes = this.#state.nodes.length;
    const unmoved = preemption?.do === "nothing" ? preemption.message : undefined;
    const message = fitMessage(nodes, unfit, afterwards(unfit, unmoved));
    this.#recorderFor(facts).eventAbout(referenceTo(facts.pod), {
      type: "Warning",
      reason: "FailedScheduling",
      action: "Scheduling",
      message,
    });
    const nominatedNode = this.#nominations.nodeOf(facts.uid);
    const now = this.#context.host.clock.now();
    if (preemption?.do === "preempt") await this.#evict(facts, preemption);
    await tellWaits(this.#podClient, facts, { message, nominatedNode, now });
  }

  async #evict(
    facts: PodFacts,
    { node, victims }: Preemption & { readonly do: "preempt" },
  ): Promise<void> {
    const scheduler = facts.pod.spec?.schedulerName ?? "";
    const now = this.#context.host.clock.now();
    await Promise.all(
      victims.map(async (victim) => {
        await evictVictim(this.#podClient, victim, { scheduler, now });
        const message = `Preempted by pod ${facts.uid} on node ${node}`;
        this.#recorderFor(facts).eventAbout(referenceTo(victim.pod), {
          type: "Normal",
          reason: "Preempted",
          action: "Preempting",
          message,
          related: referenceTo(facts.pod),
        });
      }),
    );
  }

  /* ---- writes in the background ---- */

  #write(work: Promise<void>): void {
    const write = work
      .catch((error: unknown) => this.#complain(error))
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  #complain(error: unknown): void {
    if (error instanceof AbortedError) return;
    const { log } = this.#context.host;
    const isUsual = isCallFailure(error) || error instanceof BindingError;
    if (isUsual) log.warn("scheduling was refused", { error: error.message });
    else log.error("scheduling broke", { error: String(error), stack: (error as Error).stack });
  }

  #recorderFor({ uid, pod }: PodFacts): EventRecorder {
    const name = pod.spec?.schedulerName ?? "";
    const slot = `${name}/${Number.parseInt(uid.slice(-2), 16) % recordersPerName}`;
    const known = this.#recorders.get(slot);
    if (known !== undefined) return known;
    const recorder = this.#context.recorderOf(name, this.#client, { series: true });
    this.#recorders.set(slot, recorder);
    return recorder;
  }
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether anything differs that counts for a pod that has its node. */
function isOtherFor(before: Pod, after: Pod): boolean {
  return (
    before.metadata.generation !== after.metadata.generation ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    before.spec?.nodeName !== after.spec?.nodeName ||
    !equalJson(before.metadata.labels, after.metadata.labels)
  );
}

/** Nothing of what its facts are made of differs: it is on its way out, or somebody else's affair. */
function isSameWork(before: Pod, after: Pod): boolean {
  return (
    equalJson(before.metadata.labels, after.metadata.labels) &&
    equalJson(before.metadata.ownerReferences, after.metadata.ownerReferences) &&
    equalJson(before.spec, after.spec)
  );
}

function budgetOf({ metadata, spec, status }: PodDisruptionBudget): Budget {
  return {
    namespace: metadata.namespace ?? "",
    selector: labelSelectorOf(spec?.selector),
    disruptionsAllowed: status?.disruptionsAllowed ?? 0,
  };
}
