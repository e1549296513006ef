// What `wavetank top` shows, as pure functions: the ledger's rows put together by who or what, sorted, cut to the width
// of the terminal, with the findings below.
import type { Finding } from "../accounting/findings/finding.ts";
import { concerns } from "../accounting/findings/pattern.ts";
import { type Counts, loadOf, sumCounts } from "../accounting/ledger/counters.ts";
import type { LedgerReport } from "../accounting/ledger/report.ts";
import type { LedgerRow } from "../accounting/ledger/ledger-row.ts";
import { groupBy } from "../std/group-by.ts";

export const groupings = ["user", "agent", "resource", "flow"] as const;
export type Grouping = (typeof groupings)[number];

export const sortKeys = [
  "load",
  "requests",
  "cpu",
  "scanned",
  "out",
  "events",
  "watches",
  "refused",
  "seats",
] as const;
export type SortKey = (typeof sortKeys)[number];

export interface TopView {
  readonly by: Grouping;
  readonly sort: SortKey;
  readonly filter: string;
  readonly span: "window" | "total";
  /** FlowSchema names by UID. */
  readonly flowNames: ReadonlyMap<string, string>;
}

export interface TopLine {
  readonly name: string;
  readonly counts: Counts;
  readonly watchesOpen: number;
  readonly load: number;
  readonly findings: readonly Finding["id"][];
}

/** Largest first. */
export function linesOf(report: LedgerReport, view: TopView): TopLine[] {
  const shown = report.rows.filter((row) => holds(row, view.filter));
  const groups = groupBy(shown, (row) => nameOf(row, view));
  const lines = [...groups].map(([name, rows]) => lineOf(name, rows, { report, view }));
  const active = lines.filter(({ counts, watchesOpen }) => counts.requests > 0 || watchesOpen > 0);
  return active.sort(
    (a, b) => valueOf(b, view.sort) - valueOf(a, view.sort) || (a.name < b.name ? -1 : 1),
  );
}

function lineOf(
  name: string,
  rows: readonly LedgerRow[],
  { report, view }: { readonly report: LedgerReport; readonly view: TopView },
): TopLine {
  const counts = sumCounts(rows.map((row) => row[view.span]));
  const findings = report.findings.filter(({ user, userAgent, resource }) =>
    rows.some(
      ({ client, shape }) =>
        concerns(user, client.user) &&
        client.userAgent === userAgent &&
        shape.resource === resource,
    ),
  );
  return {
    name,
    counts,
    watchesOpen: rows.reduce((sum, row) => sum + row.watchesOpen, 0),
    load: loadOf(counts),
    findings: [...new Set(findings.map(({ id }) => id))],
  };
}

function holds({ client, shape }: LedgerRow, filter: string): boolean {
  if (filter === "") return true;
  const { user, userAgent, source } = client;
  const { verb, resource, group, path } = shape;
  const text = [user, userAgent, source, verb, resource, group, path].join("\n").toLowerCase();
  return text.includes(filter.toLowerCase());
}

function nameOf({ client, shape }: LedgerRow, { by, flowNames }: TopView): string {
  switch (by) {
    case "user":
      return client.user === "" ? "(nobody)" : client.user;
    case "agent":
      return client.userAgent === "" ? "(none)" : client.userAgent;
    case "flow":
      return flowNames.get(client.flowSchema) ?? (client.flowSchema || "(none)");
    default: {
      if (shape.resource === "") return `${shape.verb} ${shape.path}`;
      const sub = shape.subresource === "" ? "" : `/${shape.subresource}`;
      const group = shape.group === "" ? "" : `.${shape.group}`;
      return `${shape.verb} ${shape.resource}${group}${sub}`;
    }
  }
}

function valueOf({ counts, load, watchesOpen }: TopLine, key: SortKey): number {
  const values: Record<SortKey, number> = {
    load,
    requests: counts.requests,
    cpu: counts.cpuMs,
    scanned: counts.objectsScanned,
    out: counts.bytesOut,
    events: counts.eventsDelivered,
    watches: watchesOpen,
    refused: counts.rejections,
    seats: counts.seatSeconds,
  };
  return values[key];
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly text: (line: TopLine, seconds: number) => string;
}

const columns: readonly Column[] = [
  { title: "REQS", width: 7, text: ({ counts }) => short(counts.requests) },
  {
    title: "/S",
    width: 6,
    text: ({ counts }, seconds) => (seconds === 0 ? "" : short(counts.requests / seconds)),
  },
  { title: "429", width: 6, text: ({ counts }) => short(counts.rejections) },
  { title: "CPU", width: 7, text: ({ counts }) => time(counts.cpuMs) },
  { title: "SCANNED", width: 8, text: ({ counts }) => short(counts.objectsScanned) },
  { title: "OUT", width: 7, text: ({ counts }) => size(counts.bytesOut) },
  { title: "EVENTS", width: 7, text: ({ counts }) => short(counts.eventsDelivered) },
  { title: "WATCHES", width: 8, text: ({ watchesOpen }) => short(watchesOpen) },
  { title: "SEATS", width: 7, text: ({ counts }) => time(counts.seatSeconds * 1_000) },
];

const nameWidthMin = 20;
const nameWidthMax = 60;

export interface Screen {
  readonly width: number;
  /** Lines; Infinity: all. */
  readonly height: number;
  readonly colour: boolean;
}

/** The whole picture as lines of text. */
export function picture(report: LedgerReport, view: TopView, screen: Screen): string[] {
  const lines = linesOf(report, view);
  const shownColumns = fitting(screen.width);
  const used = shownColumns.reduce((sum, { width }) => sum + width, 0);
  const findings = findingLines(report.findings, view.filter, screen);
  const findingsRoom = Math.min(findings.length, Math.max(4, Math.floor(screen.height / 2)));
  const room = Math.max(3, screen.height - 3 - findingsRoom);
  const shown = lines.slice(0, room);
  const longest = Math.max(nameWidthMin, ...shown.map(({ name }) => name.length));
  const nameWidth = Math.max(
    nameWidthMin,
    Math.min(longest, nameWidthMax, screen.width - used - 2),
  );
  const seconds = view.span === "window" ? report.windowSeconds : 0;
  const head = cut(view.by.toUpperCase(), nameWidth).padEnd(nameWidth);
  const titles = shownColumns.map(({ title, width }) => title.padStart(width)).join("");
  return [
    bold(cut(summary(report, view, lines.length), screen.width), screen),
    inverse(head + titles, screen),
    ...shown.map((line) => {
      const cells = shownColumns.map(({ text, width }) => text(line, seconds).padStart(width));
      const name = view.by === "user" ? cutStart(line.name, nameWidth) : cut(line.name, nameWidth);
      const row = name.padEnd(nameWidth) + cells.join("");
      return line.findings.length === 0 ? row : `${red(row, screen)} ${mark(line, screen, row)}`;
    }),
    ...findings.slice(0, findingsRoom),
  ];
}

function summary(report: LedgerReport, view: TopView, lines: number): string {
  const { requests, rejections } = report[view.span];
  const span =
    view.span === "window"
      ? `last ${Math.round(report.windowSeconds / 60)} min`
      : "since the start";
  return `${span}: ${short(requests)} requests, ${short(rejections)} refused, ${lines} ${view.by}${lines === 1 ? "" : "s"}, ${report.findings.length} finding${report.findings.length === 1 ? "" : "s"}`;
}

/** From the left, as many as leave room for a name. */
function fitting(width: number): readonly Column[] {
  let left = width - nameWidthMin;
  return columns.filter((column) => (left -= column.width) >= 0);
}

function mark({ findings }: TopLine, screen: Screen, row: string): string {
  const text = findings.join(", ");
  const room = screen.width - row.length - 1;
  return room < 6 ? "" : cut(text, room);
}

function findingLines(findings: readonly Finding[], filter: string, screen: Screen): string[] {
  const wanted = findings.filter((finding) =>
    [finding.user, finding.userAgent, finding.what]
      .join("\n")
      .toLowerCase()
      .includes(filter.toLowerCase()),
  );
  return wanted.flatMap((finding) => [
    red(cut(`! ${finding.id}: ${finding.user} (${finding.userAgent})`, screen.width), screen),
    cut(`    ${finding.what}: ${finding.howMuch}`, screen.width),
    cut(`    -> ${finding.change}`, screen.width),
  ]);
}

/** Also of what would move the terminal's cursor: who asks may call himself anything. */
export function cut(given: string, width: number): string {
  const text = printable(given);
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** A user's last words tell most: `…:kube-system:node-controller`. */
function cutStart(given: string, width: number): string {
  const text = printable(given);
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`;
}

function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "?");
}

/** 999, 1.2k, 34k, 5.6M */
export function short(value: number): string {
  if (value < 10 && !Number.isInteger(value)) return value.toFixed(1);
  if (value < 1_000) return String(Math.round(value));
  for (const [unit, size] of [
    ["k", 1e3],
    ["M", 1e6],
    ["G", 1e9],
  ] as const)
    if (value < size * 999.5)
      return `${(value / size).toPrecision(value < size * 9.95 ? 2 : 3).replace(/\.0$/, "")}${unit}`;
  return value.toExponential(1);
}

function size(bytes: number): string {
  return bytes === 0 ? "0" : short(bytes);
}

function time(ms: number): string {
  if (ms === 0) return "0";
  return ms < 1_000 ? `${short(ms)}ms` : `${short(ms / 1_000)}s`;
}

function bold(text: string, { colour }: Screen): string {
  return colour ? `\u001B[1m${text}\u001B[0m` : text;
}

function inverse(text: string, { colour }: Screen): string {
  return colour ? `\u001B[7m${text}\u001B[0m` : text;
}

function red(text: string, { colour }: Screen): string {
  return colour ? `\u001B[31m${text}\u001B[0m` : text;
}
