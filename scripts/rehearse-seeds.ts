// Every scenario of the incident library with one seed after another: the verdict must not depend on chance. For nights:
// `npx tsx scripts/rehearse-seeds.ts [runs] [name ...]`, 20 runs of all by default. Prints a table; exit code 1 when a
// verdict was not as expected, or when two seeds gave one trace.
import { setMaxListeners } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { drainPromises } from "../src/host/node/drain-promises.ts";
import { createNodeHost } from "../src/host/node/node-host.ts";
import type { RehearsalOutcome } from "../src/rehearsal/outcome.ts";
import { rehearse } from "../src/rehearsal/rehearse.ts";
import { scenarioNames, scenarioPath } from "../src/rehearsal/library/library.ts";
import { parseScenario } from "../src/rehearsal/scenario-file.ts";

// As in the command: one signal stops many, and that is no leak.
setMaxListeners(0);

const folder = new URL("../incidents/", import.meta.url).pathname;
const [runsText = "20", ...chosen] = process.argv.slice(2);
const runs = Number(runsText);
const engine = {
  digest: createNodeHost("silent", () => undefined).digest,
  drain: drainPromises,
};

async function once(slug: string, seed: number): Promise<RehearsalOutcome> {
  const path = `${folder}${scenarioPath(slug)}`;
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await rehearse(engine, parseScenario(readFileSync(path, "utf8"), path, []), {
      seed,
      guards: ["off", "on"],
      command: `wavetank rehearse ${slug} --seed ${seed}`,
      guardText: undefined,
      onProgress: () => undefined,
    });
  } finally {
    clearInterval(alive);
  }
}

function failedChecks({ runs: all }: RehearsalOutcome): string[] {
  return all.flatMap(({ guard, checks }) =>
    checks
      .filter(({ passed }) => !passed)
      .map(({ name, seen, expected }) => `guard ${guard}: ${name}: ${seen} (${expected})`),
  );
}

async function row(slug: string): Promise<boolean> {
  const started = process.cpuUsage();
  const traces = new Set<string>();
  const failures: string[] = [];
  for (let seed = 1; seed <= runs; seed++) {
    const outcome = await once(slug, seed);
    traces.add(outcome.runs.map(({ traceHash }) => traceHash).join(" "));
    failures.push(...failedChecks(outcome).map((why) => `  seed ${seed}: ${why}`));
    console.error(`${slug} ${seed}/${runs} ${failures.at(-1) ?? ""}`);
  }
  const seconds = process.cpuUsage(started).user / 1e6 / runs;
  const good = failures.length === 0 && traces.size === runs;
  console.log(
    `${good ? "ok    " : "FAILED"} ${slug.padEnd(28)} ${traces.size} traces of ${runs} seeds, ${seconds.toFixed(0)} s of CPU each`,
  );
  for (const failure of failures) console.log(failure);
  return good;
}

const slugs = readdirSync(folder)
  .flatMap((slug) => scenarioNames(slug, readdirSync(`${folder}${slug}`)))
  .filter((name) => chosen.length === 0 || chosen.includes(name));
let allGood = true;
for (const slug of slugs) allGood = (await row(slug)) && allGood;
process.exitCode = allGood ? 0 : 1;
