// A node that has just booted: its pods name Secrets and ConfigMaps, and for each the kubelet lists and watches one object
// (upstream: pkg/kubelet/util/manager/watch_based_manager.go). Until an object is there its pod cannot start.
import { linkedController, pause } from "../../client/waiting.ts";
import type { Cancel, RandomStream } from "../../host/host.ts";
import { Reflector } from "../../informer/reflector.ts";
import type { Member } from "../member.ts";
import type { KubeletBehaviour } from "../population.ts";
import { fill } from "../template.ts";
import { type WatchLaw, isRecycled, watchLaws } from "./kubelet-watch-law.ts";

/** How long a mount waits for its object, and by which back-off it is tried again. */
const syncMsMax = 1_000;
const mountBackoffMs = { first: 500, factor: 2, max: 122_000 } as const;
/** A running pod's volumes are looked at again so often. */
const resyncMs = { min: 60_000, max: 90_000 } as const;

export async function runKubelet(member: Member, behaviour: KubeletBehaviour): Promise<void> {
  const law = watchLaws[behaviour.watchLaw];
  const references = referencesOf(member, behaviour);
  const items = references.map((reference) => new WatchedObject(member, reference, law));
  const recycling = law.recycles === "nothing" ? [] : [recycle(member, items, law)];
  let missing = items.length;
  // All pods of a node that boots are handed to their workers at once.
  for (const item of items) item.start();
  const mounts = items.map(async (item) => {
    await item.mount();
    if (--missing === 0) member.meter.memberSynced();
    await item.use();
  });
  try {
    await Promise.all([...mounts, ...recycling]);
    // Nothing of the node ends by itself.
    await pause(member.host.clock, foreverMs, member.signal);
  } finally {
    for (const item of items) item.stop();
  }
}

const foreverMs = 0x7fff_ffff;

export interface Reference {
  readonly resource: "secrets" | "configmaps";
  readonly namespace: string;
  readonly name: string;
  readonly use: "env" | "volume";
  readonly immutable: boolean;
}

/** Shares are kept exactly, whatever the numbers: every k-th of its kind. */
export function referencesOf(
  { values }: Pick<Member, "values">,
  behaviour: KubeletBehaviour,
): Reference[] {
  const { pods, secretsPerPod, configMapsPerPod, namespace } = behaviour;
  const seen = { env: 0, volume: 0 };
  return Array.from({ length: pods * (secretsPerPod + configMapsPerPod) }, (_, at) => {
    const [pod, object] = [at % pods, Math.floor(at / pods)];
    const isSecret = object < secretsPerPod;
    const use = isNth(at, behaviour.envShare) ? "env" : "volume";
    const index = isSecret ? object : object - secretsPerPod;
    const template = isSecret ? behaviour.secretName : behaviour.configMapName;
    return {
      resource: isSecret ? "secrets" : "configmaps",
      namespace,
      name: fill(template, { ...values, pod, object: index }),
      use,
      immutable: isNth(seen[use]++, behaviour.immutableShare),
    };
  });
}

function isNth(index: number, share: number): boolean {
  return Math.floor((index + 1) * share + epsilon) > Math.floor(index * share + epsilon);
}

const epsilon = 1e-9;

async function recycle(
  member: Member,
  items: readonly WatchedObject[],
  law: WatchLaw,
): Promise<void> {
  for (;;) {
    await pause(member.host.clock, law.recycleEveryMs, member.signal);
    for (const item of items) item.recycle();
  }
}

class WatchedObject {
  readonly #member: Member;
  readonly #reference: Reference;
  readonly #law: WatchLaw;
  readonly #chance: RandomStream;
  #running: AbortController | undefined;
  #synced = false;
  #kept = false;
  /** Undefined: never. */
  #lastAccessAt: number | undefined;
  #tellSynced: () => void = () => undefined;

  constructor(member: Member, reference: Reference, law: WatchLaw) {
    this.#member = member;
    this.#reference = reference;
    this.#law = law;
    this.#chance = member.host.random.stream(`object/${reference.resource}/${reference.name}`);
  }

  start(): void {
    if (this.#running !== undefined || this.#kept) return;
    const { resource, namespace, name } = this.#reference;
    const { host, library } = this.#member;
    this.#synced = false;
    const controller = linkedController(this.#member.signal);
    this.#running = controller;
    const replace = (): void => {
      // One that was stopped while its answer was on the way has no say.
      if (this.#running !== controller) return;
      this.#synced = true;
      this.#tellSynced();
    };
    const reflector = new Reflector(
      { ...host, random: { stream: () => this.#chance } },
      {
        resource: this.#member.resource(resource),
        selection: { namespace, fieldSelector: `metadata.name=${name}` },
        profile: library.reflector,
        sink: { replace, change: () => undefined },
      },
    );
    void reflector.run(controller.signal);
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  /** Until the object was there once. */
  async mount(): Promise<void> {
    let waitMs: number = mountBackoffMs.first;
    while (!(await this.#get())) {
      await pause(this.#member.host.clock, waitMs, this.#member.signal);
      waitMs = Math.min(mountBackoffMs.max, waitMs * mountBackoffMs.factor);
    }
  }

  /** Volumes are looked at for as long as the pod runs, the environment only once. */
  async use(): Promise<void> {
    if (this.#reference.use === "env") return;
    const { clock } = this.#member.host;
    for (;;) {
      const waitMs = resyncMs.min + (resyncMs.max - resyncMs.min) * this.#chance.unit();
      await pause(clock, waitMs, this.#member.signal);
      await this.#get();
    }
  }

  recycle(): void {
    if (this.#running === undefined) return;
    const now = this.#member.host.clock.monotonic();
    const state = { synced: this.#synced, lastAccessAt: this.#lastAccessAt };
    if (isRecycled(this.#law, state, now)) this.stop();
  }

  /** What a mount asks the manager; whether the object is there within its patience. */
  async #get(): Promise<boolean> {
    const { clock } = this.#member.host;
    if (this.#law.accessCounts === "at-start") this.#lastAccessAt = clock.monotonic();
    this.start();
    if (!this.#kept && !(await this.#whenSynced())) return false;
    this.#lastAccessAt = clock.monotonic();
    if (this.#reference.immutable) {
      this.#kept = true;
      this.stop();
    }
    return true;
  }

  #whenSynced(): Promise<boolean> {
    if (this.#synced) return Promise.resolve(true);
    const { host, signal } = this.#member;
    return new Promise((resolve) => {
      let cancel: Cancel = () => undefined;
      const end = (synced: boolean): void => {
        cancel();
        signal.removeEventListener("abort", abort);
        resolve(synced);
      };
      const abort = (): void => end(false);
      cancel = host.clock.after(syncMsMax, () => end(false));
      signal.addEventListener("abort", abort, { once: true });
      this.#tellSynced = () => end(true);
    });
  }
}
