// The report: one HTML file that needs nothing else, reads from the verdict down, and prints. Guard off stands beside
// guard on wherever both ran, with one scale for both.
import type {
  CheckOutcome,
  Culprit,
  Happening,
  RehearsalOutcome,
  RunOutcome,
  Series,
} from "../outcome.ts";
import { axisTop, chartSvg, legendHtml } from "./chart.ts";
import { escaped } from "./markup.ts";
import { shown, shownTime } from "./quantity.ts";
import { reportStyle } from "./style.ts";

export function reportPage(outcome: RehearsalOutcome): string {
  const { scenario } = outcome;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">`,
    `<title>${escaped(scenario.title)}</title><style>${reportStyle}</style></head><body><main>`,
    `<h1>${escaped(scenario.title)}</h1><p>${escaped(scenario.summary)}</p>`,
    `<p class="soft">Seed ${outcome.seed}, profile ${escaped(outcome.profile)}, ${spans(outcome)} of simulated time.</p>`,
    verdictHtml(outcome),
    ...outcome.runs.flatMap(warningsHtml),
    chartsHtml(outcome.runs),
    ...outcome.runs.map((run) => culpritsHtml(run, outcome.runs.length > 1)),
    ...outcome.runs.map((run) => timelineHtml(run, outcome.runs.length > 1)),
    checksHtml(outcome.runs),
    guardHtml(outcome.guard),
    `<h2>Run it again</h2><pre><code>${escaped(outcome.command)}</code></pre>`,
    `<p class="soft">${outcome.runs.map((run) => `Guard ${run.guard}: trace ${escaped(run.traceHash)}`).join(" · ")}</p>`,
    coefficientsHtml(outcome),
    "</main></body></html>\n",
  ].join("\n");
}

function spans({ runs }: RehearsalOutcome): string {
  return runs.map(({ simulatedMs }) => shownTime(simulatedMs)).join(" and ");
}

function verdictHtml({ verdict }: RehearsalOutcome): string {
  const note = verdict.asExpected ? "" : " <strong>This is not what the scenario expects.</strong>";
  const not = verdict.asExpected ? "" : " not";
  return `<p class="verdict${not}">${escaped(verdict.sentence)}${note}</p>`;
}

/* ---- charts ---- */

function chartsHtml(runs: readonly RunOutcome[]): string {
  const charts = [...new Set(runs.flatMap(({ series }) => series.map(({ chart }) => chart)))];
  return `<h2>What it looked like</h2>${charts.map((chart) => pairHtml(chart, runs)).join("")}`;
}

function pairHtml(chart: string, runs: readonly RunOutcome[]): string {
  const of = (run: RunOutcome): readonly Series[] =>
    run.series.filter((series) => series.chart === chart);
  const top = axisTop(runs.flatMap(of));
  const figures = runs.map((run) => {
    const marks = run.timeline.filter(({ kind }) => kind === "scripted");
    const svg = chartSvg(of(run), { top, endMs: run.simulatedMs, marks });
    return `<figure>${svg}<figcaption>guard ${run.guard}</figcaption></figure>`;
  });
  const legend = legendHtml(of(runs[0]!));
  return `<h3>${escaped(chart)}</h3>${legend}<div class="pair">${figures.join("")}</div>`;
}

/* ---- tables ---- */

function titled(title: string, run: RunOutcome, many: boolean): string {
  return `<h2>${title}${many ? ` (guard ${run.guard})` : ""}</h2>`;
}

function culpritsHtml(run: RunOutcome, many: boolean): string {
  const title = titled("Who cost what", run, many);
  if (run.culprits.length === 0) return `${title}<p class="soft">Nobody stood out.</p>`;
  const head =
    `<tr><th>client</th><th>what it does</th><th class="n">requests</th><th class="n">share of the work</th>` +
    `<th class="n">objects read</th><th class="n">returned</th><th class="n">bytes</th></tr>`;
  return `${title}<div class="wide"><table>${head}${run.culprits.map(culpritRow).join("")}</table></div>`;
}

function culpritRow(culprit: Culprit): string {
  const { client, does, findings, requests, share, objectsScanned, objectsReturned, bytes } =
    culprit;
  const found =
    findings.length === 0 ? "" : `<br><span class="soft">${escaped(findings.join("; "))}</span>`;
  const numbers = [
    shown(requests, "count"),
    shown(share, "share"),
    shown(objectsScanned, "count"),
    shown(objectsReturned, "count"),
    shown(bytes, "bytes"),
  ];
  const cells = numbers.map((text) => `<td class="n">${text}</td>`).join("");
  return `<tr><td>${escaped(client)}</td><td>${escaped(does)}${found}</td>${cells}</tr>`;
}

function warningsHtml({ guard, warnings }: RunOutcome): string[] {
  return warnings.map(
    (warning) => `<p><span class="fail">Guard ${guard}:</span> ${escaped(warning)}</p>`,
  );
}

function timelineHtml(run: RunOutcome, many: boolean): string {
  return `${titled("What happened", run, many)}<ol class="time">${run.timeline.map(happeningHtml).join("")}</ol>`;
}

function happeningHtml({ atMs, what, kind }: Happening): string {
  const text = kind === "scripted" ? `<b>${escaped(what)}</b>` : escaped(what);
  return `<li><time>${shownTime(atMs)}</time><span>${text}</span></li>`;
}

function checksHtml(runs: readonly RunOutcome[]): string {
  const head = `<tr><th></th><th>guard</th><th>check</th><th>expected</th><th>seen</th><th>from</th></tr>`;
  const rows = runs.flatMap((run) => run.checks.map((check) => checkRow(run.guard, check)));
  if (rows.length === 0) return "";
  return `<h2>Checks</h2><div class="wide"><table>${head}${rows.join("")}</table></div>`;
}

function checkRow(guard: string, check: CheckOutcome): string {
  const mark = check.passed ? `<td class="pass">✓ held</td>` : `<td class="fail">✗ failed</td>`;
  const cells = [guard, check.name, check.expected, check.seen, check.source ?? ""];
  return `<tr>${mark}${cells.map((text) => `<td>${escaped(text)}</td>`).join("")}</tr>`;
}

function guardHtml(guard: string | undefined): string {
  if (guard === undefined) return "";
  return `<h2>The guard</h2><p class="soft">Apply it with kubectl apply -f.</p><pre><code>${escaped(guard.trim())}</code></pre>`;
}

function coefficientsHtml({ coefficients }: RehearsalOutcome): string {
  if (coefficients.length === 0) return "";
  const rows = coefficients.map(
    ({ name, value, unit, source }) =>
      `<tr><td>${escaped(name)}</td><td class="n">${value}</td><td>${escaped(unit)}</td><td>${escaped(source)}</td></tr>`,
  );
  return (
    `<h2>What work was taken to cost</h2><div class="wide"><table>` +
    `<tr><th>coefficient</th><th class="n">value</th><th>unit</th><th>source</th></tr>${rows.join("")}</table></div>`
  );
}
