// A populations file as text becomes checked records, or a list of complaints that each say where, and what was expected
// there. Changes from the command line (`--set`, `--scale`) are made before the check.
import { CheckedYamlError, readCheckedYaml } from "../api/codec/checked-yaml.ts";
import { schema } from "../api/schema/schema.ts";
import type { Complaint, Path } from "../std/json-schema.ts";
import type { Fixture, Population, PopulationFile } from "./population.ts";
import { membersMax, populationSchema } from "./population-schema.ts";
import { isKnownResource, knownKind } from "./resource-address.ts";
import { unknownNames } from "./template.ts";

export interface Changes {
  /** `populations.collectors.count=20`: a name or a number picks from a list. */
  readonly set: readonly string[];
  /** Members, nodes and fixtures are multiplied by it. */
  readonly scale: number;
}

export const noChanges: Changes = { set: [], scale: 1 };

/** `source`: how errors call the file. Throws CheckedYamlError with all that is wrong, a line each. */
export function parsePopulationFile(
  text: string,
  source: string,
  changes: Changes,
): PopulationFile {
  const value = readCheckedYaml(text, source, {
    schema: populationSchema,
    set: changes.set,
    meaning: (file) => populationComplaints(file as PopulationFile),
  });
  const file = scaled(value as PopulationFile, changes.scale);
  const members = file.populations.reduce((sum, { count }) => sum + count, 0);
  if (members > membersMax)
    throw new CheckedYamlError(`${source}: ${members} members, at most ${membersMax}`);
  return file;
}

function scaled(file: PopulationFile, scale: number): PopulationFile {
  if (scale === 1) return file;
  const times = (count: number): number => Math.max(1, Math.round(count * scale));
  const both = <T extends { count: number; nodes: number }>(one: T): T => ({
    ...one,
    count: times(one.count),
    nodes: times(one.nodes),
  });
  return {
    ...file,
    prepare: file.prepare.map((one) => both<Fixture>(one)),
    populations: file.populations.map((one) =>
      one.behaviour.kind === "bystander" ? one : both<Population>(one),
    ),
  };
}

/* ---- what no schema can say ---- */

/** Also of other files that hold populations under the same names. */
export function populationComplaints(
  file: Pick<PopulationFile, "prepare" | "populations">,
): Complaint[] {
  const names = new Set<string>();
  return [
    ...file.prepare.flatMap((fixture, index) => fixtureComplaints(fixture, ["prepare", index])),
    ...file.populations.flatMap((population, index) => {
      const path = ["populations", index] as const;
      const twice = names.has(population.name);
      names.add(population.name);
      return [
        ...(twice
          ? [{ path: [...path, "name"], message: `there are two populations ${population.name}` }]
          : []),
        ...textComplaints(population, path, memberNames),
        ...resourceComplaints(population.behaviour, [...path, "behaviour"]),
      ];
    }),
  ];
}

const memberNames = ["index", "node", "object", "pod"];

function fixtureComplaints(fixture: Fixture, path: Path): Complaint[] {
  const { manifest, count } = fixture;
  const same = count > 1 && !manifest.metadata.name.includes("{{");
  return [
    ...textComplaints(fixture, path, ["index", "node"]),
    ...kindComplaints(manifest, [...path, "manifest"]),
    ...(same
      ? [
          {
            path: [...path, "manifest", "metadata", "name"],
            message: `expected a name with {{.index}}, because there are ${count} of them`,
          },
        ]
      : []),
  ];
}

function kindComplaints({ apiVersion, kind }: Fixture["manifest"], path: Path): Complaint[] {
  if (knownKind(apiVersion, kind) !== undefined) return [];
  const close = schema.resources.find((one) => one.kind === kind);
  const version = close === undefined || close.group === "" ? "" : `${close.group}/`;
  const hint =
    close === undefined ? "no built-in kind" : `${kind} is of ${version}${close.version}`;
  return [{ path: [...path, "kind"], message: `${apiVersion} ${kind} is not known: ${hint}` }];
}

function textComplaints(value: unknown, path: Path, known: readonly string[]): Complaint[] {
  if (typeof value === "string")
    return unknownNames(value, known).map((name) => ({
      path,
      message: `{{.${name}}} is not known here: expected ${known.map((one) => `{{.${one}}}`).join(", ")}`,
    }));
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([step, own]) => textComplaints(own, [...path, step], known));
}

/** Every `resource` within. */
function resourceComplaints(value: unknown, path: Path): Complaint[] {
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([step, own]) => {
    if (step === "manifest") return kindComplaints(own as Fixture["manifest"], [...path, step]);
    if (step !== "resource" || typeof own !== "string")
      return resourceComplaints(own, [...path, step]);
    if (isKnownResource(own)) return [];
    const close = schema.resources.find(
      (one) => one.kind.toLowerCase() === own.toLowerCase() || one.resource === own.split(".")[0],
    );
    const group = close === undefined || close.group === "" ? "" : `.${close.group}`;
    const hint =
      close === undefined
        ? "expected a plural name like pods or deployments.apps"
        : `meant ${close.resource}${group}?`;
    return [{ path: [...path, step], message: `there is no resource ${own}: ${hint}` }];
  });
}
