// `wavetank top`: asks the server for its ledger, again and again, and draws it. Everything that decides what is shown is
// in top-table.ts, the terminal in top-live.ts; here are what the server is asked and the words for what it may answer.
import { stringify } from "yaml";
import type { Finding } from "../accounting/findings/finding.ts";
import type { LedgerReport } from "../accounting/ledger/report.ts";
import { flowNames } from "./flow-names.ts";
import { UsageError } from "./options.ts";
import { type ServerConnection, connectTo } from "./server-connection.ts";
import { type LedgerSource, drawUntilStopped } from "./top-live.ts";
import { type Grouping, type SortKey, type TopView, linesOf, picture } from "./top-table.ts";
import { usualKubeconfig } from "./usual-kubeconfig.ts";

export interface TopFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly by: Grouping;
  readonly sort: SortKey;
  readonly filter?: string;
  readonly total?: true;
  readonly once?: true;
  readonly interval: number;
  readonly suggestGuard?: true;
  readonly output?: "json";
}

const ledgerPath = "/debug/wavetank/ledger";
const rowsMax = 10_000;
const plainWidth = 160;

/** Rejects with UsageError when the server cannot be asked or keeps no ledger. */
export async function top(flags: TopFlags): Promise<void> {
  const kubeconfig = flags.kubeconfig ?? usualKubeconfig();
  const server = connectTo({ ...flags, kubeconfig }, "wavetank-top");
  const source = sourceOf(server);
  // `| head` has seen enough.
  process.stdout.once("error", () => process.exit(0));
  try {
    if (flags.suggestGuard === true)
      return console.log(guardText((await source.ledger()).findings));
    const flowNames = flags.by === "flow" ? await source.flowNames() : new Map<string, string>();
    const view: TopView = {
      by: flags.by,
      sort: flags.sort,
      filter: flags.filter ?? "",
      span: flags.total === true ? "total" : "window",
      flowNames,
    };
    if (flags.output === "json") return console.log(jsonText(await source.ledger(), view));
    if (flags.once === true || !process.stdout.isTTY) return printOnce(await source.ledger(), view);
    await drawUntilStopped(source, {
      view,
      intervalMs: flags.interval * 1_000,
      colour: coloured(),
    });
  } finally {
    server.close();
  }
}

function jsonText(report: LedgerReport, view: TopView): string {
  const { at, windowSeconds, window, total, findings, others } = report;
  const rows = linesOf(report, view);
  return JSON.stringify({ at, by: view.by, windowSeconds, rows, others, window, total, findings });
}

function printOnce(report: LedgerReport, view: TopView): void {
  const width = process.stdout.columns ?? plainWidth;
  const screen = { width, height: Infinity, colour: coloured() };
  console.log(picture(report, view, screen).join("\n"));
}

/** https://no-color.org */
function coloured(): boolean {
  return process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
}

/** Objects for `kubectl apply -f -`, one pair for each thing found; comments say what for. */
export function guardText(findings: readonly Finding[]): string {
  const parts: string[] = [];
  const seen = new Set<string>();
  for (const finding of findings) {
    const { guard, id, user, what } = finding;
    const about = `# ${id}: ${user}: ${what}\n# ${finding.howMuch}\n`;
    if (guard.kind === "None") {
      parts.push(`${about}# No guard: ${guard.why}\n`);
      continue;
    }
    const text = guard.objects.map((object) => stringify(object)).join("---\n");
    if (seen.has(text)) continue;
    seen.add(text);
    parts.push(`${about}---\n${text}---\n`);
  }
  return parts.length === 0 ? "# Nothing found that would need a guard." : parts.join("").trimEnd();
}

/* ---- the server ---- */

function sourceOf(server: ServerConnection): LedgerSource {
  return {
    async ledger() {
      const { status, text } = await server.ask({ target: `${ledgerPath}?limit=${rowsMax}` });
      const report = status === 200 ? readReport(text) : undefined;
      if (report !== undefined) return report;
      throw new UsageError(refusal(server.url, status, text));
    },
    flowNames: () => flowNames(server, "flowschemas"),
  };
}

function readReport(text: string): LedgerReport | undefined {
  try {
    const report = JSON.parse(text) as Partial<LedgerReport>;
    return report.kind === "Ledger" ? (report as LedgerReport) : undefined;
  } catch {
    return undefined;
  }
}

function refusal(url: string, status: number, text: string): string {
  if (status === 401) return `${url} does not know you: the kubeconfig's credentials were refused`;
  if (status === 403)
    return `you may not read ${ledgerPath} on ${url}: a ClusterRole with nonResourceURLs ["${ledgerPath}"] and verbs ["get"] allows it (docs/top.md)`;
  if (status === 404 || status === 200)
    return `${url} keeps no ledger: it is no Wavetank, or was started with --ledger-rows 0`;
  return `${url} answered ${status}: ${text.slice(0, 200)}`;
}
