// Makes what a populations file wants to be there, and takes it away again: by name, so that nothing else is touched.
import { ApiCaller } from "../client/api-caller.ts";
import { reasonOf } from "../client/reason.ts";
import { type PathAddress, collectionPath, objectPath } from "../client/resource-path.ts";
import { type ApiObject, refOf } from "../client/served-object.ts";
import { assert } from "../std/assert.ts";
import { nodeName } from "./member.ts";
import { objectOf } from "./object-template.ts";
import type { Fixture } from "./population.ts";
import { knownKind } from "./resource-address.ts";
import type { FleetConnection, FleetWorld } from "./world.ts";

/** Writes at once. */
const parallel = 32;

export interface FixtureProgress {
  readonly done: number;
  readonly total: number;
}

export class Fixtures {
  readonly #fixtures: readonly Fixture[];
  readonly #caller: ApiCaller;
  readonly #connection: FleetConnection;
  readonly #onProgress: (progress: FixtureProgress) => void;
  #done = 0;

  constructor(
    world: FleetWorld,
    fixtures: readonly Fixture[],
    onProgress: (progress: FixtureProgress) => void,
  ) {
    this.#fixtures = fixtures;
    this.#onProgress = onProgress;
    this.#connection = world.connect("http2");
    this.#caller = new ApiCaller(world.host, this.#connection.transport, {
      userAgent: "wavetank-load-prepare",
      identity: world.identify(undefined),
      rateLimit: undefined,
    });
  }

  /** In the order of the file; what is there already stays as it is. Rejects with the first refusal. */
  async create(signal: AbortSignal): Promise<void> {
    this.#done = 0;
    for (const fixture of this.#fixtures)
      await this.#each(fixture, signal, async (object, address) => {
        const path = collectionPath(address, object.metadata.namespace);
        await this.#ask("AlreadyExists", { method: "POST", path, body: object, signal });
      });
  }

  /** The other way round. */
  async remove(signal: AbortSignal): Promise<void> {
    this.#done = 0;
    const body = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 };
    for (const fixture of this.#fixtures.toReversed())
      await this.#each(fixture, signal, async (object, address) => {
        const path = objectPath(address, refOf(object));
        await this.#ask("NotFound", { method: "DELETE", path, body, signal });
      });
  }

  close(): void {
    this.#connection.close();
  }

  async #ask(fine: string, call: Parameters<ApiCaller["json"]>[0]): Promise<void> {
    try {
      await this.#caller.json(call);
    } catch (error) {
      if (reasonOf(error) !== fine) throw error;
    }
  }

  async #each(
    fixture: Fixture,
    signal: AbortSignal,
    act: (object: ApiObject, address: PathAddress) => Promise<void>,
  ): Promise<void> {
    const { manifest, count, nodes, pad } = fixture;
    const address = knownKind(manifest.apiVersion, manifest.kind);
    assert(address !== undefined, "the file was checked");
    const total = this.#fixtures.reduce((sum, one) => sum + one.count, 0);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < count && !signal.aborted; index = next++) {
        const values = { index, node: nodeName(index, nodes) };
        await act(objectOf(manifest, values, pad), address);
        this.#onProgress({ done: ++this.#done, total });
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallel, count) }, work));
  }
}
