// Pods that have made room on a node and wait for it to become free: until then the room is theirs.
import type { PodFacts } from "./pod-facts.ts";

export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodFacts>>();
  readonly #nodeOf = new Map<string, string>();

  put(facts: PodFacts, node: string): void {
    this.remove(facts.uid);
    if (node === "") return;
    this.#nodeOf.set(facts.uid, node);
    const pods = this.#byNode.get(node);
    if (pods === undefined) this.#byNode.set(node, new Map([[facts.uid, facts]]));
    else pods.set(facts.uid, facts);
  }

  remove(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  nodeOf(uid: string): string {
    return this.#nodeOf.get(uid) ?? "";
  }

  /** Those on the node, but `except`. */
  on(node: string, except: string): readonly PodFacts[] {
    // Asked for every node that a pod looks at, and nearly always there are none at all.
    const pods = this.#byNode.size === 0 ? undefined : this.#byNode.get(node);
    if (pods === undefined) return none;
    return [...pods.values()].filter(({ uid }) => uid !== except);
  }
}

const none: readonly PodFacts[] = [];
