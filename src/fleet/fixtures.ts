// Makes what a populations file wants to be there, and takes it away again, but nothing that it found: names like `node-1` are
// those of a cluster's own objects, too.
import { ApiCaller, type Call } from "../client/api-caller.ts";
import { reasonOf } from "../client/reason.ts";
import { type PathAddress, collectionPath, objectPath } from "../client/resource-path.ts";
import { type ApiObject, refOf } from "../client/served-object.ts";
import { assert } from "../std/assert.ts";
import { nodeName } from "./member.ts";
import { objectOf } from "./object-template.ts";
import type { Fixture } from "./population.ts";
import { knownKind } from "./resource-address.ts";
import type { FleetConnection, FleetWorld } from "./world.ts";

/** Writes at once, and how many of them share a connection: servers bound what one connection may hold. */
const parallel = 32;
const perConnection = 4;

export interface FixtureProgress {
  readonly done: number;
  readonly total: number;
}

export class Fixtures {
  readonly #fixtures: readonly Fixture[];
  readonly #connections: readonly FleetConnection[];
  readonly #callers: readonly ApiCaller[];
  readonly #onProgress: (progress: FixtureProgress) => void;
  #done = 0;
  /** Paths of what `create` made; undefined where it was not asked to. */
  #made: Set<string> | undefined;
  #foundCount = 0;

  constructor(
    world: FleetWorld,
    fixtures: readonly Fixture[],
    onProgress: (progress: FixtureProgress) => void,
  ) {
    this.#fixtures = fixtures;
    this.#onProgress = onProgress;
    const count = parallel / perConnection;
    this.#connections = Array.from({ length: count }, () => world.connect("http2"));
    const identity = world.identify(undefined);
    const options = { userAgent: "wavetank-load-prepare", identity, rateLimit: undefined };
    this.#callers = this.#connections.map(
      ({ transport }) => new ApiCaller(world.host, transport, options),
    );
  }

  get madeCount(): number {
    return this.#made?.size ?? 0;
  }

  get foundCount(): number {
    return this.#foundCount;
  }

  /** In the order of the file; what is there already stays as it is. Rejects with the first refusal. */
  async create(signal: AbortSignal): Promise<void> {
    this.#done = 0;
    const made = new Set<string>();
    this.#made = made;
    this.#foundCount = 0;
    for (const fixture of this.#fixtures)
      await this.#each(fixture, signal, async (caller, object, address) => {
        const path = collectionPath(address, object.metadata.namespace);
        const call: Call = { method: "POST", path, body: object, signal };
        if (await unless("AlreadyExists", caller.json(call)))
          made.add(objectPath(address, refOf(object)));
        else this.#foundCount++;
      });
  }

  /** The other way round: what `create` made or, where somebody else prepared, all that has the names of the file. */
  async remove(signal: AbortSignal): Promise<void> {
    this.#done = 0;
    const body = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 };
    for (const fixture of this.#fixtures.toReversed())
      await this.#each(fixture, signal, async (caller, object, address) => {
        const path = objectPath(address, refOf(object));
        if (this.#made?.has(path) === false) return;
        await unless("NotFound", caller.json({ method: "DELETE", path, body, signal }));
      });
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async #each(
    fixture: Fixture,
    signal: AbortSignal,
    act: (caller: ApiCaller, object: ApiObject, address: PathAddress) => Promise<void>,
  ): Promise<void> {
    const { manifest, count, nodes, pad } = fixture;
    const address = knownKind(manifest.apiVersion, manifest.kind);
    assert(address !== undefined, "the file was checked");
    const total = this.#fixtures.reduce((sum, one) => sum + one.count, 0);
    let next = 0;
    const work = async (caller: ApiCaller): Promise<void> => {
      for (let index = next++; index < count && !signal.aborted; index = next++) {
        const values = { index, node: nodeName(index, nodes) };
        await act(caller, objectOf(manifest, values, pad), address);
        this.#onProgress({ done: ++this.#done, total });
      }
    };
    await Promise.all(
      this.#callers.flatMap((caller) => Array.from({ length: perConnection }, () => work(caller))),
    );
  }
}

/** Waits for it; false for this one refusal, which is as good as an answer. */
async function unless(reason: string, answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (reasonOf(error) !== reason) throw error;
    return false;
  }
}
