// What this process uses, for /metrics: Prometheus' usual process_* and nodejs_* names. The loop's delay is measured all
// the time: a stall is the first thing to look for when a server is slow.
import { monitorEventLoopDelay, performance } from "node:perf_hooks";

export interface ProcessFigure {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly labels: readonly string[];
  /** Label values in the order of `labels`, and the number. */
  read(): Iterable<readonly [values: readonly string[], value: number]>;
}

const loopResolutionMs = 10;

export function processFigures(): readonly ProcessFigure[] {
  const delay = monitorEventLoopDelay({ resolution: loopResolutionMs });
  delay.enable();
  const startSeconds = performance.timeOrigin / 1000;
  // The histogram counts from one timer tick to the next, so an idle loop shows the resolution itself.
  const lag = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e9 - loopResolutionMs / 1000);
  return [
    gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
    gauge("process_start_time_seconds", "Start, in Unix time.", () => startSeconds),
    counter("process_cpu_seconds_total", "User and system CPU.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    gauge(
      "nodejs_heap_size_used_bytes",
      "JavaScript heap in use.",
      () => process.memoryUsage().heapUsed,
    ),
    gauge(
      "nodejs_external_memory_bytes",
      "Buffers outside the heap.",
      () => process.memoryUsage().external,
    ),
    gauge("nodejs_eventloop_lag_p50_seconds", "Median delay of the event loop.", () =>
      lag(delay.percentile(50)),
    ),
    gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the event loop's delay.", () =>
      lag(delay.percentile(99)),
    ),
    gauge("nodejs_eventloop_lag_max_seconds", "Longest delay since the last look.", () => {
      const longest = lag(delay.max);
      delay.reset();
      return longest;
    }),
  ];
}

export function gauge(name: string, help: string, read: () => number): ProcessFigure {
  return { name, help, type: "gauge", labels: [], read: () => [[[], read()]] };
}

export function counter(name: string, help: string, read: () => number): ProcessFigure {
  return { name, help, type: "counter", labels: [], read: () => [[[], read()]] };
}
