// What the cache keeps of one object: the bytes it is served as and what selectors ask for. Never the parsed object.
import { spliceResourceVersion } from "../api/codec/resource-version.ts";
import type { Labels } from "../api/meta/label-selector.ts";
import type { KubeObject } from "../api/object.ts";
import { objectKey } from "./object-key.ts";
import { Projection } from "./projection.ts";
import type { CachedObject, ResourceLayout } from "./resource-cache.ts";
import { messageOf } from "../std/error-message.ts";
import { decodeUtf8, encodeUtf8 } from "../std/utf8.ts";

export interface StoredObject extends CachedObject {
  /** Shared between objects that have the same ones. */
  readonly labels: Labels | undefined;
  /** In the order of the layout's `fields`. */
  readonly fields: readonly string[];
}

/**
 * Turns a stored value of another form (protobuf of a kube-apiserver on the same store, which begins with `k8s\0`)
 * into stored JSON. Throws when it cannot.
 */
export type DecodeStored = (value: Uint8Array, layout: ResourceLayout) => Uint8Array;

/** The value under a key is no object of this resource; the message says why. */
export class BadStoredValueError extends Error {
  override readonly name = "BadStoredValueError";
}

/** Makes stored objects of one resource. Not re-entrant. */
export class ObjectReader {
  readonly #layout: ResourceLayout;
  readonly #decodeStored: DecodeStored | undefined;
  readonly #projection: Projection | undefined;

  constructor(layout: ResourceLayout, decodeStored: DecodeStored | undefined) {
    this.#layout = layout;
    this.#decodeStored = decodeStored;
    if (layout.fields.length === 0) this.#projection = new Projection(["metadata.labels"]);
    else if (layout.paths !== undefined) {
      this.#projection = new Projection(["metadata.labels", ...layout.paths]);
    }
  }

  /** `key` as in the store. Throws BadStoredValueError. */
  read(storeKey: string, value: Uint8Array, revision: number): StoredObject {
    const key = objectKey(this.#layout, storeKey);
    if (key.split("/").length !== (this.#layout.namespaced ? 2 : 1)) {
      throw new BadStoredValueError("the key does not belong to this resource");
    }
    try {
      const json = this.#json(value);
      const object = this.#selectable(json);
      return {
        key,
        revision,
        bytes: spliceResourceVersion(json, revision),
        labels: labelsOf(object),
        fields: this.#layout.fields.length === 0 ? noFields : this.#layout.project(object),
      };
    } catch (cause) {
      const why = messageOf(cause);
      throw new BadStoredValueError(why, { cause });
    }
  }

  #json(value: Uint8Array): Uint8Array {
    if (!isEnvelope(value)) return value;
    if (this.#decodeStored === undefined) throw new SyntaxError("protobuf, which is not decoded");
    return this.#decodeStored(value, this.#layout);
  }

  #selectable(json: Uint8Array): KubeObject {
    const parsed =
      this.#projection === undefined
        ? (JSON.parse(decodeUtf8(json)) as object)
        : this.#projection.read(json);
    return { ...parsed, metadata: "metadata" in parsed ? (parsed.metadata as object) : {} };
  }
}

const noFields: readonly string[] = [];

function labelsOf(object: KubeObject): Labels | undefined {
  const labels: unknown = object.metadata.labels;
  return typeof labels === "object" && labels !== null ? (labels as Labels) : undefined;
}

/** The first bytes of every protobuf value that kube-apiserver stores. */
function isEnvelope(value: Uint8Array): boolean {
  return value[0] === 0x6b && value[1] === 0x38 && value[2] === 0x73 && value[3] === 0;
}

/** The same object as of another revision: what a DELETED event carries. */
export function atRevision(object: CachedObject, revision: number): CachedObject {
  const old = encodeUtf8(`"resourceVersion":"${object.revision}"`);
  const at = indexOfBytes(object.bytes, old);
  if (at < 0) throw new BadStoredValueError("served bytes without resourceVersion");
  const insert = encodeUtf8(`"resourceVersion":"${revision}"`);
  const bytes = new Uint8Array(object.bytes.length - old.length + insert.length);
  bytes.set(object.bytes.subarray(0, at));
  bytes.set(insert, at);
  bytes.set(object.bytes.subarray(at + old.length), at + insert.length);
  return { key: object.key, revision, bytes };
}

/** Quotes inside strings are escaped, so the first place where the field is spelled out is metadata's own. */
function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array): number {
  const first = wanted[0]!;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let length = 1;
    while (length < wanted.length && bytes[at + length] === wanted[length]) length += 1;
    if (length === wanted.length) return at;
  }
  return -1;
}
