// Every `apiserver_flowcontrol_*` family with upstream's names and labels, read from the live configuration when the page
// is printed (upstream: flowcontrol/metrics). Counting is done elsewhere; here are only names.
import type { BucketCounts } from "../std/bucket-counts.ts";
import type { FlowFigures } from "./figures.ts";
import type { FlowControl } from "./flow-control.ts";
import type { PriorityLevel } from "./priority-level.ts";
import type { KindGauge } from "./server-gauges.ts";
import type { TimedRatio } from "./timed-ratio.ts";

export interface NumberFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly labels: readonly string[];
  read(): Iterable<readonly [values: readonly string[], value: number]>;
}

export interface HistogramFamily {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  read(): Iterable<readonly [values: readonly string[], histogram: BucketCounts]>;
}

export interface FlowFamilies {
  readonly numbers: readonly NumberFamily[];
  readonly histograms: readonly HistogramFamily[];
}

const prefix = "apiserver_flowcontrol_";

/** `monotonic`: the clock that flow control runs on. */
export function flowFamilies(flowControl: FlowControl, monotonic: () => number): FlowFamilies {
  return {
    numbers: [
      ...flowNumbers(flowControl),
      ...rejections(flowControl),
      ...levelNumbers(flowControl),
      ...boundNumbers(flowControl),
      {
        name: `${prefix}seat_fair_frac`,
        help: "[ALPHA] Fair fraction of the server's seats for each level that can use it.",
        type: "gauge",
        labels: [],
        read: () => [[[], flowControl.fairFraction]],
      },
      currentlyInQueue(flowControl),
    ],
    histograms: [
      ...flowHistograms(flowControl),
      ...levelHistograms(flowControl, monotonic),
      readVersusWrite(flowControl, monotonic),
    ],
  };
}

function* allFigures({ levels }: FlowControl): Iterable<FlowFigures> {
  for (const level of levels.values()) yield* level.figures.values();
}

function flowNumbers(flowControl: FlowControl): NumberFamily[] {
  const family = (
    name: string,
    help: string,
    read: (figures: FlowFigures) => number,
    type: "gauge" | "counter" = "gauge",
  ): NumberFamily => ({
    name: prefix + name,
    help,
    type,
    labels: ["priority_level", "flow_schema"],
    read: function* () {
      for (const figures of allFigures(flowControl))
        yield [[figures.level, figures.schema], read(figures)] as const;
    },
  });
  return [
    family(
      "dispatched_requests_total",
      "[BETA] Requests let in.",
      (figures) => figures.dispatched,
      "counter",
    ),
    family(
      "request_dispatch_no_accommodation_total",
      "[ALPHA] Times that the next request's seats were not free.",
      (figures) => figures.noAccommodation,
      "counter",
    ),
    family(
      "current_inqueue_requests",
      "[BETA] Requests waiting in queues.",
      (figures) => figures.waitingRequests,
    ),
    family(
      "current_inqueue_seats",
      "[ALPHA] Seats that waiting requests want.",
      (figures) => figures.waitingSeats,
    ),
    family(
      "current_executing_requests",
      "[BETA] Requests running; watches only while they begin.",
      (figures) => figures.executingRequests,
    ),
    family("current_executing_seats", "[BETA] Seats taken.", (figures) => figures.executingSeats),
  ];
}

function rejections(flowControl: FlowControl): NumberFamily[] {
  return [
    {
      name: `${prefix}rejected_requests_total`,
      help: "[BETA] Requests refused, by reason.",
      type: "counter",
      labels: ["priority_level", "flow_schema", "reason"],
      read: function* () {
        for (const { level, schema, rejected } of allFigures(flowControl)) {
          for (const [reason, count] of Object.entries(rejected))
            if (count > 0) yield [[level, schema, reason], count] as const;
        }
      },
    },
  ];
}

function levelNumbers(flowControl: FlowControl): NumberFamily[] {
  const family = (
    name: string,
    help: string,
    read: (level: PriorityLevel) => number,
  ): NumberFamily => ({
    name: prefix + name,
    help,
    type: "gauge",
    labels: ["priority_level"],
    read: function* () {
      for (const level of flowControl.levels.values()) yield [[level.name], read(level)] as const;
    },
  });
  const demand = ({ queues }: PriorityLevel) => queues.demand.figures;
  return [
    family("nominal_limit_seats", "[BETA] Seats by shares.", ({ limits }) => limits.nominal),
    family("lower_limit_seats", "[ALPHA] Seats never lent.", ({ limits }) => limits.lower),
    family("upper_limit_seats", "[ALPHA] Seats at most.", ({ limits }) => limits.upper),
    family("current_limit_seats", "[ALPHA] Seats now.", ({ current }) => current),
    family("target_seats", "[ALPHA] Seats aimed at.", ({ target }) => target),
    family(
      "demand_seats_high_watermark",
      "[ALPHA] Most seats wanted at once in the last period.",
      (level) => demand(level).highWatermark,
    ),
    family(
      "demand_seats_average",
      "[ALPHA] Mean of seats wanted in the last period.",
      (level) => demand(level).average,
    ),
    family(
      "demand_seats_stdev",
      "[ALPHA] Deviation of seats wanted in the last period.",
      (level) => demand(level).deviation,
    ),
    family(
      "demand_seats_smoothed",
      "[ALPHA] Seats wanted, smoothed over periods.",
      (level) => demand(level).smoothed,
    ),
    family("current_r", "[ALPHA] R at the last change.", ({ queues }) => queues.r),
    family("dispatch_r", "[ALPHA] R at the last dispatch.", ({ queues }) => queues.gauges.last.r),
    family("latest_s", "[ALPHA] S of the last dispatch.", ({ queues }) => queues.gauges.last.s),
  ];
}

function boundNumbers(flowControl: FlowControl): NumberFamily[] {
  const family = (
    name: string,
    help: string,
    read: (level: PriorityLevel) => readonly [min: number, max: number],
  ): NumberFamily => ({
    name: prefix + name,
    help,
    type: "gauge",
    labels: ["priority_level", "bound"],
    read: function* () {
      for (const level of flowControl.levels.values()) {
        const [min, max] = read(level);
        yield [[level.name, "min"], min] as const;
        yield [[level.name, "max"], max] as const;
      }
    },
  });
  return [
    family("next_s_bounds", "[ALPHA] S of queues' oldest requests.", ({ queues }) => [
      queues.gauges.last.sMin,
      queues.gauges.last.sMax,
    ]),
    family(
      "next_discounted_s_bounds",
      "[ALPHA] S of queues' oldest requests less the work in progress.",
      ({ queues }) => [queues.gauges.last.discountedMin, queues.gauges.last.discountedMax],
    ),
    {
      name: `${prefix}epoch_advance_total`,
      help: "[ALPHA] Times that R was set back.",
      type: "counter",
      labels: ["priority_level", "success"],
      read: function* () {
        for (const { name, queues } of flowControl.levels.values())
          if (queues.gauges.epochs > 0) yield [[name, "true"], queues.gauges.epochs] as const;
      },
    },
  ];
}

function currentlyInQueue({ gauges }: FlowControl): NumberFamily {
  return {
    name: "apiserver_current_inqueue_requests",
    help: "[ALPHA] Requests waiting in queues, by kind.",
    type: "gauge",
    labels: ["request_kind"],
    read: () => [
      [["mutating"], gauges.waitingWrites.count],
      [["readOnly"], gauges.waitingReads.count],
    ],
  };
}

function flowHistograms(flowControl: FlowControl): HistogramFamily[] {
  const family = (
    name: string,
    help: string,
    read: (figures: FlowFigures) => readonly (readonly [string | undefined, BucketCounts])[],
    label?: string,
  ): HistogramFamily => ({
    name: prefix + name,
    help,
    labels: ["priority_level", "flow_schema", ...(label === undefined ? [] : [label])],
    read: function* () {
      for (const figures of allFigures(flowControl)) {
        const values = [figures.level, figures.schema];
        for (const [value, histogram] of read(figures)) {
          if (!histogram.counts.some((count) => count > 0)) continue;
          yield [value === undefined ? values : [...values, value], histogram] as const;
        }
      }
    },
  });
  return [
    family(
      "request_queue_length_after_enqueue",
      "[ALPHA] Length of the queue that a request went into.",
      ({ queueLength }) => [[undefined, queueLength]],
    ),
    family(
      "request_wait_duration_seconds",
      "[BETA] Time spent waiting.",
      (figures) => [
        ["true", figures.waitedThenRan],
        ["false", figures.waitedInVain],
      ],
      "execute",
    ),
    family(
      "request_execution_seconds",
      "[ALPHA] Time spent running; of a watch its beginning.",
      (figures) => [
        ["regular", figures.ran],
        ["watch", figures.watchBegan],
      ],
      "type",
    ),
    family("watch_count_samples", "[ALPHA] Watches that a write may concern.", (figures) => [
      [undefined, figures.watchers],
    ]),
    family("work_estimated_seats", "[ALPHA] Seats that requests were taken to need.", (figures) => [
      [undefined, figures.seats],
    ]),
  ];
}

function levelHistograms(flowControl: FlowControl, monotonic: () => number): HistogramFamily[] {
  const family = (
    about: Pick<HistogramFamily, "name" | "help" | "labels">,
    read: (level: PriorityLevel) => readonly (readonly [string[], TimedRatio])[],
  ): HistogramFamily => ({
    ...about,
    name: prefix + about.name,
    read: function* () {
      for (const level of flowControl.levels.values()) {
        for (const [values, ratio] of read(level)) {
          ratio.observe(monotonic());
          yield [values, ratio.histogram] as const;
        }
      }
    },
  });
  return [
    family(
      {
        name: "priority_level_seat_utilization",
        help: "[ALPHA] Nanoseconds by the part of the level's seats that was taken.",
        labels: ["priority_level", "phase"],
      },
      ({ name, queues }) => [[[name, "executing"], queues.gauges.seatRatio]],
    ),
    family(
      {
        name: "priority_level_request_utilization",
        help: "[ALPHA] Nanoseconds by requests waiting or running as part of the limit.",
        labels: ["phase", "priority_level"],
      },
      ({ name, queues }) => [
        [["waiting", name], queues.gauges.waitingRatio],
        [["executing", name], queues.gauges.executingRatio],
      ],
    ),
    family(
      {
        name: "demand_seats",
        help: "[ALPHA] Nanoseconds by seats wanted as part of the level's seats.",
        labels: ["priority_level"],
      },
      ({ name, queues }) => [[[name], queues.gauges.demandRatio]],
    ),
  ];
}

function readVersusWrite({ gauges }: FlowControl, monotonic: () => number): HistogramFamily {
  const all: readonly (readonly [string, string, KindGauge])[] = [
    ["waiting", "readOnly", gauges.waitingReads],
    ["waiting", "mutating", gauges.waitingWrites],
    ["executing", "readOnly", gauges.executingReads],
    ["executing", "mutating", gauges.executingWrites],
  ];
  return {
    name: `${prefix}read_vs_write_current_requests`,
    help: "[ALPHA] Nanoseconds by requests waiting or running as part of the server's limit.",
    labels: ["phase", "request_kind"],
    read: function* () {
      for (const [phase, kind, { ratio }] of all) {
        ratio.observe(monotonic());
        yield [[phase, kind], ratio.histogram] as const;
      }
    },
  };
}
