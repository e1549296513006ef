// One watch on etcd over one stream of its own, which is opened again after every interruption at the revision behind
// the last one delivered, so that nothing is lost or repeated.
//
// Progress is not taken from etcd's progress responses: some releases, Debian's 3.4 among them, let them overtake
// events (etcd issue 15220), and others leave them out (17507). Instead the watch asks for the newest revision and waits
// until it has seen it. When the newest change lies outside the range, no event would ever tell: then the watch
// writes a marker key. The marker lies just behind the range and the stream covers both, so that its event, which
// etcd keeps in order, proves that everything before it has arrived.
import type { Client } from "@grpc/grpc-js";
import type { Cancel, Host } from "../../host/host.ts";
import {
  StoreUnavailableError,
  type Transaction,
  type StoreEvent,
  type WatchOptions,
  type WatchSink,
} from "../store.ts";
import type { EtcdConnection, EtcdStream } from "./etcd-connection.ts";
import {
  type WatchResponse,
  decodeWatch,
  encodeTransaction,
  encodeWatchCreate,
  methods,
} from "./messages.ts";
import type { RevisionReader } from "./revision-reader.ts";

const markerInfix = "\0wavetank-progress/";
const markerRangeEnd = "\0wavetank-progress0";

/** Marker keys are no one's data: ranges and watches leave them out. */
export function isMarker(key: string): boolean {
  return key.includes(markerInfix);
}

/** Events of a write that was just acknowledged are on their way: no marker before that time. */
const graceMs = 10;
const markerMs = 250;
const markerIdBytes = 8;

export class EtcdWatch {
  readonly #host: Host;
  readonly #connection: EtcdConnection;
  readonly #revisions: RevisionReader;
  readonly #sink: WatchSink;
  readonly #start: string;
  readonly #end: string;
  readonly #markerKey: string;
  /** Everything up to it is delivered, or was not asked for. */
  #known: number;
  /** The newest revision that etcd has shown here; 0: none yet. */
  #seen = 0;
  /** Events of a revision of which more may come. */
  #held: StoreEvent[] = [];
  #stream: EtcdStream | undefined;
  #attempt = 0;
  #over = false;
  #progress: "idle" | "asking" | "asked again" = "idle";
  #wake: (() => void) | undefined;

  constructor(
    host: Host,
    connection: EtcdConnection,
    parts: { revisions: RevisionReader; options: WatchOptions; sink: WatchSink },
  ) {
    const { revisions, options, sink } = parts;
    this.#host = host;
    this.#connection = connection;
    this.#revisions = revisions;
    this.#sink = sink;
    this.#start = options.start;
    this.#end = options.end ?? `${options.start}\0`;
    this.#known = options.fromRevision - 1;
    const id = host.random.stream("storage/etcd-markers").bytes(markerIdBytes);
    this.#markerKey = `${this.#end}${markerInfix}${Buffer.from(id).toString("hex")}`;
  }

  open(): void {
    this.#held = [];
    const { stream, client } = this.#connection.stream(methods.watch);
    this.#stream = stream;
    stream.on("data", (bytes: Buffer) => {
      if (this.#stream === stream) this.#receive(decodeWatch(bytes), client);
    });
    stream.on("error", (error) => this.#interrupted(stream, client, error));
    stream.on("end", () => this.#interrupted(stream, client, new Error("the stream has ended")));
    stream.write(
      encodeWatchCreate({
        start: this.#start,
        end: `${this.#end}${markerRangeEnd}`,
        fromRevision: this.#known + 1,
      }),
    );
  }

  requestProgress(): void {
    if (this.#progress !== "idle") {
      this.#progress = "asked again";
      return;
    }
    void this.#reportProgress();
  }

  cancel(): void {
    this.#over = true;
    this.#stream?.cancel();
    this.#wake?.();
  }

  end(reason: Parameters<WatchSink["ended"]>[0]): void {
    if (this.#over) return;
    this.cancel();
    this.#guarded(() => this.#sink.ended(reason));
  }

  #receive(response: WatchResponse, client: Client): void {
    if (this.#over) return;
    if (response.compactRevision > 0) {
      this.end({ kind: "Compacted", compactRevision: response.compactRevision });
      return;
    }
    if (response.canceled) {
      this.#interrupted(this.#stream!, client, new Error(response.cancelReason));
      return;
    }
    if (response.created && this.#attempt > 0) {
      this.#host.log.info("etcd watch goes on", { from: this.#known + 1 });
      this.#attempt = 0;
    }
    if (response.events.length === 0) return;
    this.#held.push(...response.events);
    this.#deliver(response.fragment ? this.#takeWholeRevisions() : this.#held.splice(0));
  }

  /** All held events but those of the last revision, of which the next fragment may bring more. */
  #takeWholeRevisions(): StoreEvent[] {
    const last = this.#held.at(-1)!.kv.modRevision;
    return this.#held.splice(
      0,
      this.#held.findIndex(({ kv }) => kv.modRevision === last),
    );
  }

  #deliver(events: readonly StoreEvent[]): void {
    const last = events.at(-1)?.kv.modRevision;
    if (last === undefined) return;
    this.#known = last;
    this.#seen = last;
    const own = events.filter(({ kv }) => kv.key < this.#end && !isMarker(kv.key));
    if (own.length > 0) this.#guarded(() => this.#sink.events(own, last));
    this.#wake?.();
  }

  #interrupted(stream: EtcdStream, client: Client, cause: Error): void {
    if (this.#over || this.#stream !== stream) return;
    this.#stream = undefined;
    stream.cancel();
    this.#connection.turnAwayFrom(client);
    if (this.#attempt === 0) {
      this.#host.log.warn("etcd watch was interrupted", { cause: cause.message });
    }
    void this.#resume();
  }

  async #resume(): Promise<void> {
    for (;;) {
      await this.#connection.backOff(this.#attempt);
      this.#attempt += 1;
      if (this.#over || this.#connection.closed) return;
      try {
        const newest = await this.#revisions.read();
        if (this.#over) return;
        if (newest >= this.#seen) {
          this.open();
          return;
        }
        // Restored from a backup, or another cluster: what was delivered is not its past.
        const why = `etcd went back from revision ${this.#seen} to ${newest}`;
        this.end({ kind: "Disconnected", cause: new StoreUnavailableError(why) });
        return;
      } catch {
        // No member answers yet.
      }
    }
  }

  async #reportProgress(): Promise<void> {
    do {
      this.#progress = "asking";
      const newest = await this.#newestRevision();
      if (newest === undefined) return;
      await this.#reach(newest);
      if (this.#over) return;
      this.#guarded(() => this.#sink.progress(Math.max(newest, this.#seen)));
    } while (this.#progressAskedAgain());
    this.#progress = "idle";
  }

  #progressAskedAgain(): boolean {
    return this.#progress === "asked again";
  }

  /** Undefined when the watch is over. */
  async #newestRevision(): Promise<number | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const newest = await this.#revisions.read();
        return this.#over ? undefined : newest;
      } catch {
        if (this.#over || this.#connection.closed) return undefined;
        await this.#connection.backOff(attempt);
      }
    }
  }

  /** Resolves when everything up to the revision was delivered, or the watch is over. */
  async #reach(revision: number): Promise<void> {
    if (this.#known < revision) await this.#change(revision, graceMs);
    while (this.#known < revision && !this.#over) {
      void this.#mark();
      await this.#change(revision, markerMs);
    }
  }

  #change(revision: number, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wake = undefined;
        cancelTimer();
        resolve();
      };
      const cancelTimer: Cancel = this.#host.clock.after(ms, done);
      this.#wake = () => {
        if (this.#known >= revision || this.#over) done();
      };
    });
  }

  async #mark(): Promise<void> {
    try {
      await this.#connection.write(methods.transact, marking("Put", this.#markerKey));
      await this.#connection.write(methods.transact, marking("Delete", this.#markerKey));
    } catch {
      // The next attempt comes soon, or the watch is being resumed.
    }
  }

  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.cancel();
      this.#host.log.error("watch ended: its receiver failed", { error: String(error) });
    }
  }
}

function marking(kind: "Put" | "Delete", key: string): Buffer {
  const operation = kind === "Put" ? { kind, key, value: new Uint8Array(0) } : { kind, key };
  const transaction: Transaction = { compare: [], success: [operation], failure: [] };
  return encodeTransaction(transaction);
}
