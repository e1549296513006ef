// One watch being sent: pulls what the watcher has, writes it, waits for more. A reader that does not keep up is the
// watcher's problem (it closes); a stream that ends just ends, and clients resume from their last resourceVersion.
import type { RequestCost } from "../api/request-cost.ts";
import type { Clock } from "../host/host.ts";
import type { BodySink } from "../host/http.ts";
import type { Status } from "../api/types/meta-v1.ts";
import type { WatchItem, Watcher } from "../watchcache/resource-cache.ts";
import type { ChunkPool } from "./chunk-pool.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import type { Counter, Histogram } from "./metrics/metric-registry.ts";
import type { WatchEncoding } from "./watch-encoding.ts";

export interface WatchStream {
  readonly clock: Clock;
  readonly pool: ChunkPool;
  readonly watcher: Watcher;
  readonly encoding: WatchEncoding;
  /** Milliseconds from now until the stream ends by itself. */
  readonly lifetimeMs: number;
  /** WebSocket: every event is a write of its own. */
  readonly framed: boolean;
  readonly cost: RequestCost;
  readonly metrics: { readonly total: Counter; readonly sizes: Histogram };
}

/** Resolves when the watch is over for whatever reason; rejects when the client is gone. */
export async function streamWatch(stream: WatchStream, sink: BodySink): Promise<void> {
  const { watcher } = stream;
  const close = (): void => watcher.close();
  const cancelTimer = stream.clock.after(stream.lifetimeMs, close);
  sink.signal.addEventListener("abort", close, { once: true });
  if (sink.signal.aborted) close();
  // Tables carry their column definitions only once a stream.
  let first = true;
  try {
    while (true) {
      const batch = await watcher.next();
      if ("end" in batch) return;
      stream.cost.resume(stream.clock.monotonic());
      await writeBatch(stream, sink, { batch, first });
      first &&= batch.every((item) => item.type === "BOOKMARK");
    }
  } finally {
    cancelTimer();
    watcher.close();
    sink.signal.removeEventListener("abort", close);
  }
}

interface Batch {
  readonly batch: readonly WatchItem[];
  readonly first: boolean;
}

/** All frames of a batch leave together, except to WebSockets, whose messages are frames. */
async function writeBatch(stream: WatchStream, sink: BodySink, of: Batch): Promise<void> {
  const { encoding, metrics, cost, clock } = stream;
  metrics.total.add(of.batch.length);
  if (of.batch.length === 1 || stream.framed) {
    let { first } = of;
    for (const item of of.batch) {
      const frame = encoding.frame(item, first);
      metrics.sizes.observe(frame.length);
      if (item.type !== "BOOKMARK") {
        first = false;
        cost.eventsDelivered += 1;
      }
      cost.suspend(clock.monotonic());
      await sink.write(frame);
      cost.resume(clock.monotonic());
    }
    cost.suspend(clock.monotonic());
    return;
  }
  const writer = new ChunkWriter({ clock, pool: stream.pool, sink, cost });
  let { first } = of;
  for (const item of of.batch) {
    let bytes = 0;
    for (const piece of encoding.pieces(item, first)) {
      let at = writer.copy(piece, 0);
      while (at < piece.length) {
        await writer.flush();
        at = writer.copy(piece, at);
      }
      bytes += piece.length;
    }
    metrics.sizes.observe(bytes);
    if (item.type === "BOOKMARK") continue;
    first = false;
    cost.eventsDelivered += 1;
  }
  await writer.end();
  cost.suspend(clock.monotonic());
}

/** A watch that was refused after all: one ERROR event on a stream that then closes. */
export async function streamRefusal(
  encoding: WatchEncoding,
  status: Status,
  sink: BodySink,
): Promise<void> {
  await sink.write(encoding.error(status));
}
