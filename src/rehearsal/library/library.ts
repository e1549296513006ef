// All incidents together: found by name, and linked to each other by what their records share.
import { type Incident, rootCauses } from "./incident.ts";

export interface LibraryEntry {
  /** Its folder's name. */
  readonly slug: string;
  readonly incident: Incident;
  /** What there is to rehearse, by name: the incident's own scenario first, then its cases. */
  readonly scenarios: readonly string[];
}

const scenarioFile = "scenario.yaml";

/** Of the files in an incident's folder. `runaway-job` is its own scenario, `runaway-job/in-full` a case of it. */
export function scenarioNames(slug: string, files: readonly string[]): string[] {
  const cases = files
    .filter((file) => file.endsWith(".yaml") && ![scenarioFile, "incident.yaml"].includes(file))
    .toSorted();
  const own = files.includes(scenarioFile) ? [slug] : [];
  return [...own, ...cases.map((file) => `${slug}/${file.slice(0, -".yaml".length)}`)];
}

/** Below the incidents' folder. */
export function scenarioPath(name: string): string {
  return name.includes("/") ? `${name}.yaml` : `${name}/${scenarioFile}`;
}

export interface Links {
  readonly sameRootCause: readonly string[];
  /** Slugs by component, without those of the same root cause. */
  readonly sharedComponent: readonly {
    readonly slug: string;
    readonly components: readonly string[];
  }[];
}

export function linksOf(entry: LibraryEntry, all: readonly LibraryEntry[]): Links {
  const others = all.filter(({ slug }) => slug !== entry.slug);
  const { rootCause, components } = entry.incident;
  const same = others.filter(({ incident }) => incident.rootCause === rootCause);
  return {
    sameRootCause: same.map(({ slug }) => slug),
    sharedComponent: others
      .filter((other) => !same.includes(other))
      .map(({ slug, incident }) => ({
        slug,
        components: incident.components.filter((name) => components.includes(name)),
      }))
      .filter((link) => link.components.length > 0)
      .toSorted((a, b) => b.components.length - a.components.length),
  };
}

/** A line each, the rehearsable ones marked. */
export function listText(all: readonly LibraryEntry[]): string {
  const width = Math.max(...all.map(({ slug }) => slug.length));
  const lines = all.map(
    ({ slug, incident, scenarios }) =>
      `${scenarios.length > 0 ? "*" : " "} ${slug.padEnd(width)}  ${incident.date.padEnd(10)}  ${incident.title}`,
  );
  return [...lines, "", "* wavetank rehearse NAME replays it"].join("\n");
}

const lineWidth = 92;

export function showText(entry: LibraryEntry, all: readonly LibraryEntry[]): string {
  const { incident, scenarios } = entry;
  const { sameRootCause, sharedComponent } = linksOf(entry, all);
  const shared = sharedComponent.map((link) => `${link.slug} (${link.components.join(", ")})`);
  return [
    incident.title,
    `${incident.date}. ${incident.where}`,
    "",
    section("Trigger", incident.trigger),
    section("Mechanism", incident.mechanism),
    section("Harm", incident.harm),
    section("Root cause", rootCauses[incident.rootCause]),
    section("Components", incident.components.join(", ")),
    ...listed(
      "Numbers",
      incident.numbers.map(({ what, value }) => `${what}: ${value}`),
    ),
    ...listed("What helped", incident.fixes),
    ...listed("Same root cause", sameRootCause),
    ...listed("Shared component", shared),
    ...listed("Sources", incident.sources),
    scenarios.length === 0
      ? "There is no rehearsal of it yet."
      : scenarios.map((name) => `Replay it: wavetank rehearse ${name}`).join("\n"),
  ].join("\n");
}

function section(title: string, text: string): string {
  return `${title}\n${wrapped(text)}\n`;
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return [`${title}\n${items.map((item) => `  - ${item}`).join("\n")}\n`];
}

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(/\s+/)) {
    if (line !== "" && line.length + word.length + 1 > lineWidth) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `  ${one}`).join("\n");
}
