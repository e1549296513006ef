// One API server that can die between any two of its writes: what it had not written then is lost, every connection
// breaks, and the next one starts from what the store holds.
import { simulatedOptions } from "../src/cluster/simulated-options.ts";
import type { Transport } from "../src/client/transport.ts";
import { type ControlPlane, createControlPlane } from "../src/cluster/control-plane.ts";
import { ConnectionError } from "../src/host/http.ts";
import { scopedHost } from "../src/host/simulated/scoped-host.ts";
import type { SimulatedHost } from "../src/host/simulated/simulated-host.ts";
import { BreakingPoint, breakable } from "../src/rehearsal/world/breakable.ts";
import type { Store } from "../src/storage/store.ts";

interface Life {
  readonly plane: ControlPlane;
  readonly end: BreakingPoint;
}

export class ApiServer {
  readonly #host: SimulatedHost;
  readonly #store: Store;
  #life: Life | undefined;
  #births = 0;
  #writes = 0;
  /** Told after each committed write, with their number; may crash the server. */
  onWrite: (writes: number) => void = () => undefined;

  constructor(host: SimulatedHost, store: Store) {
    this.#host = host;
    this.#store = store;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  readonly transport: Transport = (request) => {
    const life = this.#life;
    if (life === undefined) return Promise.reject(new ConnectionError("connection refused", true));
    return breakable(life.plane.handle(request), life.end);
  };

  async start(): Promise<void> {
    const end = new BreakingPoint();
    const name = `kube-apiserver#${this.#births++}`;
    const plane = await createControlPlane(
      scopedHost(this.#host, name),
      storeOfLife(this.#store, end, () => this.onWrite(++this.#writes)),
      { ...simulatedOptions(this.#host), controllersBeside: true },
    );
    this.#life = { plane, end };
  }

  crash(): void {
    const life = this.#life;
    this.#life = undefined;
    if (life === undefined) return;
    life.end.break();
    void life.plane.close();
  }
}

/** What a dead server asks the store for never comes back; what it asked before may have been done. */
function storeOfLife(store: Store, end: BreakingPoint, onWrite: () => void): Store {
  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    const never = new Promise<never>(() => undefined);
    if (end.isBroken) return never;
    const answer = await ask();
    return end.isBroken ? never : answer;
  };
  return {
    currentRevision: () => alive(() => store.currentRevision()),
    range: (options) => alive(() => store.range(options)),
    transact: (transaction) =>
      alive(async () => {
        const result = await store.transact(transaction);
        if (result.succeeded && transaction.success.some(({ kind }) => kind !== "Get")) onWrite();
        return result;
      }),
    watch: (options, sink) => store.watch(options, sink),
    compact: (revision) => alive(() => store.compact(revision)),
    grantLease: (ttlSeconds) => alive(() => store.grantLease(ttlSeconds)),
    revokeLease: (lease) => alive(() => store.revokeLease(lease)),
    status: () => alive(() => store.status()),
    close: () => Promise.resolve(),
  };
}
