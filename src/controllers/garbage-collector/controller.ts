// Deletes what only gone owners hold, ends foreground deletions when nothing blocks them, sets orphans free. Whatever the
// graph suspects is checked live before anything is deleted (upstream: pkg/controller/garbagecollector).
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import { unknownError } from "../../api/meta/errors.ts";
import type { Client } from "../../client/client.ts";
import { AbortedError, pause } from "../../client/waiting.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext, RateShare } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import type { RetryLaw } from "../../informer/work-queue.ts";
import { BoundedMap } from "../../std/bounded-map.ts";
import {
  type Placed,
  changeOwners,
  deleteItem,
  findLive,
  placed,
  removeFinalizer,
} from "./apply.ts";
import {
  type Consequences,
  type Node,
  OwnerGraph,
  foregroundFinalizer,
  orphanFinalizer,
} from "./graph.ts";
import { Monitors } from "./monitors.ts";
import { type OwnerState, blockingDependents, planItem } from "./plan.ts";

const workers = 20;
/** kube-controller-manager doubles the rate for this client, because each deletion takes two calls. */
const share: RateShare = { qps: 2, burst: 1 };
const retry: RetryLaw = { initialMs: 5, maxMs: 1_000_000, overall: { qps: 1_000, burst: 1_000 } };
/** How often discovery is asked for new resources. */
const refreshMs = 30_000;
/** Owners known to be absent. */
const absentMax = 500;

export function createGarbageCollector(context: ComponentContext): Component {
  const client = context.clientOf("generic-garbage-collector", share);
  const events = context.recorderOf("garbage-collector-controller", client);
  return new GarbageCollector(context, client, events);
}

class GarbageCollector implements Component {
  readonly #host: Host;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #graph = new OwnerGraph();
  readonly #monitors: Monitors;
  readonly #deleting: Controller;
  readonly #orphaning: Controller;
  /** `namespace uid` of owners that a live look did not find. UIDs are never used again. */
  readonly #absent = new BoundedMap<true>(absentMax);
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor({ host, informers }: ComponentContext, client: Client, events: EventRecorder) {
    this.#host = host;
    this.#client = client;
    this.#events = events;
    this.#monitors = new Monitors(host, {
      client,
      informers,
      sink: {
        change: ({ type, object }, resource) =>
          this.#follow(
            type === "deleted"
              ? this.#graph.remove(object.metadata.uid)
              : this.#graph.put(object, resource),
          ),
      },
    });
    const shape = { workers, retry };
    this.#deleting = new Controller(host, {
      name: "garbage-collector",
      ...shape,
      sync: (uid) => this.#look(uid),
    });
    this.#orphaning = new Controller(host, {
      name: "garbage-collector/orphans",
      ...shape,
      sync: (uid) => this.#orphan(uid),
    });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#deleting.stop(), this.#orphaning.stop()]);
    await this.#running;
    await this.#monitors.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let started = false;
    for (;;) {
      try {
        await this.#monitors.refresh(signal);
        if (!started) {
          this.#deleting.start();
          this.#orphaning.start();
        }
        started = true;
        await pause(this.#host.clock, refreshMs, signal);
      } catch (error) {
        if (error instanceof AbortedError && signal.aborted) return;
        this.#host.log.warn("garbage collector cannot discover", { error: String(error) });
        if (!(await this.#rested(signal))) return;
      }
    }
  }

  async #rested(signal: AbortSignal): Promise<boolean> {
    try {
      await pause(this.#host.clock, refreshMs / 6, signal);
      return true;
    } catch (error) {
      if (error instanceof AbortedError) return false;
      throw error;
    }
  }

  #follow({ look, orphan, misplaced }: Consequences): void {
    for (const uid of look) this.#deleting.queue.add(uid);
    for (const uid of orphan) this.#orphaning.queue.add(uid);
    for (const { node, owner } of misplaced) this.#complain(node, owner);
  }

  async #look(uid: string): Promise<void> {
    const node = this.#graph.find(uid);
    if (node === undefined) return;
    const item = this.#place(node);
    if (item === undefined) throw unknownError(`unknown kind ${kindText(node)}`);
    if (node.address === undefined) return this.#lookAtHearsay(node, item);
    if (node.beingDeleted && !node.deletingDependents) return;
    const latest = await findLive(this.#client, item);
    if (latest === undefined) return this.#follow(this.#graph.remove(uid));
    if (node.deletingDependents) return this.#endForeground(node, item);
    const states = new Map<string, OwnerState>();
    for (const owner of latest.metadata.ownerReferences ?? [])
      states.set(owner.uid, await this.#stateOf(owner, item));
    const plan = planItem(node, latest, (owner) => states.get(owner.uid) ?? "solid");
    if (plan.do === "nothing") return;
    if (plan.do === "drop references") {
      await changeOwners(this.#client, item, (owners) => without(owners, plan.uids));
      return;
    }
    if (plan.unblock)
      await changeOwners(this.#client, item, (owners) =>
        owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
      );
    const fresh = plan.unblock ? await findLive(this.#client, item) : latest;
    if (fresh === undefined) return;
    const { policy } = plan;
    if (!(await deleteItem(this.#client, item, { latest: fresh, policy })))
      this.#deleting.queue.addRateLimited(uid);
  }

  /** Somebody names an owner that no informer has shown yet. */
  async #lookAtHearsay(node: Node, item: Placed): Promise<void> {
    const { uid, namespace } = node.identity;
    const { namespaced } = item.address;
    // A cluster-scoped object cannot have a namespaced owner; its own look says so.
    const sought = !namespaced || namespace !== "";
    if (sought) {
      if ((await findLive(this.#client, item)) !== undefined) return;
      this.#absent.set(`${namespaced ? namespace : ""} ${uid}`, true);
    }
    for (const dependent of node.dependents) this.#deleting.queue.add(dependent.identity.uid);
  }

  async #endForeground(node: Node, item: Placed): Promise<void> {
    const blocking = blockingDependents(node);
    if (blocking.length === 0) return removeFinalizer(this.#client, item, foregroundFinalizer);
    for (const dependent of blocking)
      if (!dependent.deletingDependents) this.#deleting.queue.add(dependent.identity.uid);
  }

  async #stateOf(owner: OwnerReference, item: Placed): Promise<OwnerState> {
    const resource = this.#monitors.resourceOfKind(owner.apiVersion, owner.kind);
    if (resource === undefined)
      throw unknownError(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`);
    const { namespace } = item.identity;
    if (resource.namespaced && namespace === "") {
      // Invalid, and so no reason to delete anything.
      const node = this.#graph.find(item.identity.uid);
      if (node !== undefined) this.#complain(node, owner);
      return "solid";
    }
    const absentKey = `${resource.namespaced ? namespace : ""} ${owner.uid}`;
    if (this.#absent.get(absentKey) === true) return "absent";
    const identity = { ...owner, namespace };
    const live = await findLive(this.#client, { identity, address: resource });
    if (live === undefined) {
      this.#absent.set(absentKey, true);
      return "absent";
    }
    const { deletionTimestamp, finalizers = [] } = live.metadata;
    const waits = deletionTimestamp != null && finalizers.includes(foregroundFinalizer);
    return waits ? "waiting" : "solid";
  }

  async #orphan(uid: string): Promise<void> {
    const node = this.#graph.find(uid);
    const item = node === undefined ? undefined : placed(node);
    if (node === undefined || item === undefined) return;
    await Promise.all(
      [...node.dependents].map(async (dependent) => {
        const below = placed(dependent);
        if (below === undefined) return;
        await changeOwners(this.#client, below, (owners) => without(owners, [uid]));
      }),
    );
    await removeFinalizer(this.#client, item, orphanFinalizer);
  }

  #place(node: Node): Placed | undefined {
    const { apiVersion, kind } = node.identity;
    const address = node.address ?? this.#monitors.resourceOfKind(apiVersion, kind);
    return address === undefined ? undefined : { identity: node.identity, address };
  }

  #complain({ identity }: Node, owner: OwnerReference): void {
    const { apiVersion, kind, namespace, name, uid } = identity;
    const place = namespace === "" ? {} : { namespace };
    const text = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
    this.#events.eventAbout(
      { kind, apiVersion, name, uid, ...place },
      {
        type: "Warning",
        reason: "OwnerRefInvalidNamespace",
        message: `ownerRef ${text} does not exist in namespace "${namespace}"`,
      },
    );
  }
}

/** Undefined when there is nothing to leave out. */
function without(
  owners: readonly OwnerReference[],
  uids: readonly string[],
): OwnerReference[] | undefined {
  const rest = owners.filter(({ uid }) => !uids.includes(uid));
  return rest.length === owners.length ? undefined : rest;
}

function kindText({ identity }: Node): string {
  return `${identity.kind} of ${identity.apiVersion}`;
}
