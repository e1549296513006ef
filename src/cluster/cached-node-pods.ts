// Which pods are bound to a node and what they refer to, from the watch cache and its index: what the node authorizer
// stands on. A pod is looked into once per revision, and only when its node asks for something.
import {
  type NodePods,
  type PodOnNode,
  referencesText,
  referringPaths,
} from "../access/authorization/node-relations.ts";
import type { KubeObject } from "../api/object.ts";
import { assert } from "../std/assert.ts";
import { nameOf, namespaceOf } from "../watchcache/object-key.ts";
import { Projection } from "../watchcache/projection.ts";
import type { CachedObject, ResourceCache } from "../watchcache/resource-cache.ts";

export class CachedNodePods implements NodePods {
  readonly #pods: ResourceCache;
  readonly #parts = new Projection(["metadata.name", ...referringPaths]);
  /** Forgets with the cached object itself. */
  readonly #known = new WeakMap<CachedObject, PodOnNode>();
  /** Pods of one owner refer to the same things: one text serves them all. */
  readonly #texts = new Map<string, string>();

  constructor(caches: Iterable<ResourceCache>) {
    const pods = [...caches].find(({ layout }) => layout.label === "pods");
    assert(pods !== undefined, "no cache holds pods");
    this.#pods = pods;
  }

  *onNode(node: string): Iterable<PodOnNode> {
    for (const cached of this.#pods.peekField("spec.nodeName", node)) yield this.#factsOf(cached);
  }

  #factsOf(cached: CachedObject): PodOnNode {
    const known = this.#known.get(cached);
    if (known !== undefined) return known;
    const pod = this.#parts.read(cached.bytes) as unknown as KubeObject;
    const facts = {
      namespace: namespaceOf(cached.key),
      name: nameOf(cached.key),
      references: this.#shared(referencesText(pod)),
    };
    this.#known.set(cached, facts);
    return facts;
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    // Pods whose references are all their own fill it up; it then starts over.
    if (this.#texts.size >= textsMax) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

const textsMax = 10_000;
