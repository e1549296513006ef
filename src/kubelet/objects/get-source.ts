// Strategy Get: every read is a GET of the newest state (upstream: simple_secret_manager). Nothing is remembered.
import type { ConfigMap, Secret } from "../../api/types/core-v1.ts";
import { isCallFailure, reasonOf } from "../../client/reason.ts";
import type { ReadOptions, ResourceClient } from "../../client/resource-client.ts";
import { AbortedError } from "../../client/waiting.ts";
import { type ObjectName, type ObjectSource, type Reading, heldOf } from "./object-source.ts";
import { messageOf } from "../../std/error-message.ts";

export type Readable = ResourceClient<Secret> | ResourceClient<ConfigMap>;

export class GetSource implements ObjectSource {
  readonly watches = 0;
  readonly starts = 0;
  readonly #resource: Readable;
  #stopping = new AbortController();

  constructor(resource: Readable) {
    this.#resource = resource;
  }

  reference(): void {}

  release(): void {}

  read(name: ObjectName): Promise<Reading> {
    return readOnce(this.#resource, name, { signal: this.#stopping.signal });
  }

  suspend(): void {
    this.#stopping.abort();
  }

  resume(): void {
    this.#stopping = new AbortController();
  }

  clear(): void {
    this.suspend();
    this.resume();
  }
}

/** One GET as a reading: what the server answers is what the kubelet says. */
export async function readOnce(
  resource: Readable,
  name: ObjectName,
  options: ReadOptions,
): Promise<Reading> {
  try {
    return { is: "found", object: heldOf(await resource.get(name, options)) };
  } catch (error) {
    if (reasonOf(error) === "NotFound") return { is: "missing", why: messageOf(error) };
    if (isCallFailure(error) || error instanceof AbortedError)
      return { is: "failed", why: messageOf(error) };
    throw error;
  }
}
