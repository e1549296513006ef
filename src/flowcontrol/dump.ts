// The pages of /debug/api_priority_and_fairness: levels, queues and requests as they are, in upstream's columns. Text
// alone; values come from the live configuration.
import { timestamp } from "../api/meta/timestamp.ts";
import type { FlowRequest } from "./queue.ts";
import type { PriorityLevel } from "./priority-level.ts";

export type DumpName = "dump_priority_levels" | "dump_queues" | "dump_requests";

export interface DumpRequest {
  readonly levels: readonly PriorityLevel[];
  /** Adds who asks for what. */
  readonly details: boolean;
  /** Wall time less monotonic time. */
  readonly epochMs: number;
}

export function dump(name: DumpName, of: DumpRequest): string {
  const levels = [...of.levels].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (name === "dump_priority_levels") return table([levelColumns, ...levels.map(levelRow)]);
  if (name === "dump_queues") return table([queueColumns, ...levels.flatMap(queueRows)]);
  const columns = of.details ? [...requestColumns, ...detailColumns] : requestColumns;
  return table([columns, ...levels.flatMap((level) => requestRows(level, of))]);
}

const levelColumns = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
];

function levelRow({ name, isQuiescing, queues }: PriorityLevel): string[] {
  const { dispatched, rejected, cancelled } = queues.counts;
  const active = queues.queues.filter((queue) => queue.waiting.size > 0).length;
  // Upstream's count of timed-out requests stays 0: those are cancelled ones.
  const cells = [queues.waiting, queues.executing, dispatched, rejected, 0, cancelled];
  return [name, `${active}`, `${queues.isIdle}`, `${isQuiescing}`, ...cells.map(String)];
}

const queueColumns = [
  "PriorityLevelName",
  "Index",
  "PendingRequests",
  "ExecutingRequests",
  "SeatsInUse",
  "NextDispatchR",
  "InitialSeatsSum",
  "MaxSeatsSum",
  "TotalWorkSum",
];

function queueRows({ name, queues }: PriorityLevel): string[][] {
  return queues.queues.map((queue) => [
    name,
    `${queue.index}`,
    `${queue.waiting.size}`,
    `${queue.executing.size}`,
    `${queue.seatsInUse}`,
    seatSeconds(queue.nextDispatchR),
    `${queue.initialSeatsWaiting}`,
    `${queue.seatsWaiting}`,
    seatSeconds(queue.workWaiting),
  ]);
}

function seatSeconds(amount: number): string {
  return `${amount.toFixed(8)}ss`;
}

const requestColumns = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "ArriveTime",
  "InitialSeats",
  "FinalSeats",
  "AdditionalLatency",
  "StartTime",
];
const detailColumns = [
  "UserName",
  "Verb",
  "APIPath",
  "Namespace",
  "Name",
  "APIVersion",
  "Resource",
  "SubResource",
];

/** Waiting requests by queue, then running ones, whose index in the queue is -1. */
function requestRows({ name, queues }: PriorityLevel, of: DumpRequest): string[][] {
  const row = (request: FlowRequest, queue: number, index: number): string[] => [
    name,
    request.figures.schema,
    `${queue}`,
    `${index}`,
    request.distinguisher,
    timeOf(request.arrivedAt, of),
    `${request.initialSeats}`,
    `${request.finalSeats}`,
    goDuration(request.additionalMs),
    request.state === "Waiting" ? "0001-01-01T00:00:00Z" : timeOf(request.startedAt, of),
    ...(of.details ? detailsOf(request) : []),
  ];
  return [
    ...queues.queues.flatMap((queue) => [
      ...[...queue.waiting].map((request, index) => row(request, queue.index, index)),
      ...[...queue.executing].map((request) => row(request, queue.index, -1)),
    ]),
    ...[...queues.queueless].map((request) => row(request, -1, -1)),
  ];
}

function detailsOf({ digest }: FlowRequest): string[] {
  const { group, version } = digest;
  return [
    digest.user.name,
    digest.verb,
    digest.path,
    digest.namespace,
    digest.name,
    group === "" ? version : `${group}/${version}`,
    digest.resource,
    digest.subresource,
  ];
}

function timeOf(monotonicMs: number, { epochMs }: DumpRequest): string {
  const ms = Math.floor(monotonicMs + epochMs);
  const fraction = String(((ms % 1_000) + 1_000) % 1_000).padStart(3, "0");
  return timestamp(ms).replace("Z", `.${fraction}Z`);
}

function goDuration(ms: number): string {
  if (ms === 0) return "0s";
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}

/** As Go's tabwriter with 8 columns at least and a blank between. */
function table(rows: readonly (readonly string[])[]): string {
  const last = (rows[0]?.length ?? 0) - 1;
  const widths = rows[0]!.map((_, column) =>
    Math.max(8, ...rows.map((row) => (row[column] ?? "").length + 2)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === last ? cell : `${cell},`.padEnd(widths[column]!)))
      .join("");
  return rows.map((row) => `${line(row)}\n`).join("");
}
