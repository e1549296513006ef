// Evicts pods from nodes whose NoExecute taints they do not tolerate, or not for longer (upstream:
// pkg/controller/tainteviction). Timers start when the controller first sees pod and taint together.
import type { Node, Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import { AbortedError } from "../../client/waiting.ts";
import type { Cancel, Host } from "../../host/host.ts";
import type { Component, ComponentContext, ComponentFactory } from "../../informer/component.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { byNodeName } from "../../informer/index-functions.ts";
import type { Change, Informer } from "../../informer/informer.ts";
import { equalJson } from "../../std/json.ts";
import { evict } from "./apply.ts";
import { type TaintEvictionProfile, taintEvictionProfile136 } from "./profile.ts";
import { stayOf } from "./tolerations.ts";

export const createTaintEvictionController: ComponentFactory =
  taintEvictionController(taintEvictionProfile136);

export function taintEvictionController(profile: TaintEvictionProfile): ComponentFactory {
  return (context) => new TaintEvictionController(context, profile);
}

/** An eviction that waits for its time; without a timer it has been carried out and the pod is not gone yet. */
interface Scheduled {
  readonly since: number;
  readonly at: number;
  readonly cancel: Cancel | undefined;
}

class TaintEvictionController implements Component {
  readonly #host: Host;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #profile: TaintEvictionProfile;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #scheduled = new Map<string, Scheduled>();
  readonly #evicting = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #handlers: Cancel[] = [];
  #running: Promise<void> | undefined;

  constructor(context: ComponentContext, profile: TaintEvictionProfile) {
    this.#host = context.host;
    // Acts under the node controller's role, as upstream.
    const name = "node-controller";
    this.#client = profile.sharesClient ? context.sharedClientOf(name) : context.clientOf(name);
    this.#events = context.recorderOf(profile.source, this.#client);
    this.#profile = profile;
    this.#pods = context.informers.of("pods", [byNodeName]);
    this.#nodes = context.informers.of("nodes");
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const cancel of this.#handlers.splice(0)) cancel();
    await this.#running;
    for (const { cancel } of this.#scheduled.values()) cancel?.();
    this.#scheduled.clear();
    await Promise.all(this.#evicting);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await Promise.all([this.#pods.whenSynced(signal), this.#nodes.whenSynced(signal)]);
    } catch (error) {
      if (error instanceof AbortedError) return;
      throw error;
    }
    // Nodes first: their taints are looked up for every pod.
    this.#handlers.push(this.#nodes.addHandler((change) => this.#nodeChanged(change)));
    this.#handlers.push(this.#pods.addHandler((change) => this.#podChanged(change)));
  }

  #nodeChanged(change: Change<Node>): void {
    if (change.type === "deleted") return;
    const { object } = change;
    if (change.type === "updated" && equalJson(noExecute(object), noExecute(change.previous)))
      return;
    for (const pod of this.#pods.lister.by(byNodeName, object.metadata.name)) this.#consider(pod);
  }

  #podChanged(change: Change<Pod>): void {
    const { object: pod } = change;
    if (change.type === "deleted") return this.#unschedule(pod);
    if ((pod.spec?.nodeName ?? "") === "") return;
    if (
      change.type === "updated" &&
      change.previous.spec?.nodeName === pod.spec?.nodeName &&
      equalJson(change.previous.spec?.tolerations, pod.spec?.tolerations)
    )
      return;
    this.#consider(pod);
  }

  #consider(pod: Readonly<Served<Pod>>): void {
    const node = this.#nodes.lister.find(pod.spec?.nodeName ?? "");
    if (node === undefined) return;
    const stay = stayOf(noExecute(node), pod.spec?.tolerations ?? []);
    if (stay.do === "stay") return this.#unschedule(pod);
    const now = this.#host.clock.monotonic();
    if (stay.do === "go") {
      this.#unschedule(pod);
      return this.#schedule(pod, now, now);
    }
    const known = this.#scheduled.get(keyOf(pod));
    const since = known?.since ?? now;
    // A second taint may shorten the stay, never lengthen it.
    if (known !== undefined && known.at <= since + stay.afterMs) return;
    this.#unschedule(pod);
    this.#schedule(pod, since, since + stay.afterMs);
  }

  #schedule(pod: Readonly<Served<Pod>>, since: number, at: number): void {
    const key = keyOf(pod);
    const go = (): void => {
      this.#scheduled.set(key, { since, at, cancel: undefined });
      this.#evict(pod);
    };
    const ms = at - this.#host.clock.monotonic();
    if (ms <= 0) return go();
    this.#scheduled.set(key, { since, at, cancel: this.#host.clock.after(ms, go) });
  }

  #unschedule(pod: Readonly<Served<Pod>>): void {
    const key = keyOf(pod);
    const known = this.#scheduled.get(key);
    if (known === undefined) return;
    this.#scheduled.delete(key);
    if (known.cancel === undefined) return;
    known.cancel();
    this.#say(pod, `Cancelling deletion of Pod ${key}`);
  }

  #evict(pod: Readonly<Served<Pod>>): void {
    this.#say(pod, `Marking for deletion Pod ${keyOf(pod)}`);
    const { signal } = this.#stopping;
    const work = evict(this.#client, this.#host.clock, { pod, profile: this.#profile, signal })
      .catch((error: unknown) => {
        if (!signal.aborted)
          this.#host.log.warn("pod was not evicted", { pod: keyOf(pod), error: String(error) });
      })
      .finally(() => this.#evicting.delete(work));
    this.#evicting.add(work);
  }

  /** As upstream, about the pod by name only. */
  #say(pod: Readonly<Served<Pod>>, message: string): void {
    const { name, namespace = "" } = pod.metadata;
    this.#events.eventAbout(
      { apiVersion: "v1", kind: "Pod", name, namespace },
      { type: "Normal", reason: "TaintManagerEviction", message },
    );
  }
}

function noExecute({ spec }: Node): NonNullable<NonNullable<Node["spec"]>["taints"]> {
  return (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}
