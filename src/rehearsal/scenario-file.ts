// A scenario file as text becomes a checked Scenario, or complaints that say where and what was expected.
import { readCheckedYaml } from "../api/codec/checked-yaml.ts";
import {
  kubernetesProfile,
  minorNewest,
  minorOldest,
  parseMinor,
  withoutTaintManager,
} from "../cluster/kubernetes-profile.ts";
import { populationComplaints } from "../fleet/population-file.ts";
import { isKnownResource, knownKind } from "../fleet/resource-address.ts";
import type { Manifest } from "../fleet/population.ts";
import type { Complaint, Path } from "../std/json-schema.ts";
import { figureKind, figureKinds, populationFigures } from "./figures.ts";
import type { Scenario, Step } from "./scenario.ts";
import { scenarioSchema } from "./scenario-schema.ts";

/** `source`: how errors call the file. Throws CheckedYamlError. */
export function parseScenario(text: string, source: string, set: readonly string[]): Scenario {
  const rules = {
    schema: scenarioSchema,
    set,
    meaning: (value: unknown) => complaintsOf(value as Scenario),
  };
  const { verdict, ...scenario } = readCheckedYaml(text, source, rules) as Scenario;
  return { ...scenario, verdict: { off: verdict.off, on: verdict.on ?? verdict.off } };
}

/** Of what no schema can say. */
function complaintsOf(scenario: Scenario): Complaint[] {
  const names = scenario.populations.map(({ name }) => name);
  return [
    ...profileComplaints(scenario),
    ...populationComplaints(scenario),
    ...scenario.timeline.flatMap((step, index) => stepComplaints(step, scenario, index)),
    ...guardComplaints(scenario),
    ...scenario.checks.flatMap(({ figure, atLeast, atMost }, index) => {
      const path = ["checks", index];
      if (atLeast === undefined && atMost === undefined)
        return [{ path, message: "expected atLeast, atMost or both" }];
      return figureComplaints(figure, names, [...path, "figure"]);
    }),
    ...(["off", "on"] as const).flatMap((key) =>
      [...(scenario.verdict[key] ?? "").matchAll(/\{\{(.*?)\}\}/g)].flatMap(([, name = ""]) =>
        name === "culprit" ? [] : figureComplaints(name, names, ["verdict", key]),
      ),
    ),
  ];
}

function guardComplaints({ guard, controlPlane }: Scenario): Complaint[] {
  if (guard === undefined) return [];
  const { manifests, prepare, profile } = guard;
  const inGuard = ({ path, message }: Complaint): Complaint => ({
    path: ["guard", ...path],
    message,
  });
  return [
    ...manifests.flatMap((manifest, index) =>
      manifestComplaints(manifest, ["guard", "manifests", index]),
    ),
    ...populationComplaints({ prepare, populations: [] }).map(inGuard),
    ...(profile === undefined ? [] : profileComplaints({ profile, controlPlane }).map(inGuard)),
  ];
}

function profileComplaints({
  profile,
  controlPlane,
}: Pick<Scenario, "profile" | "controlPlane">): Complaint[] {
  const minor = profile === "wavetank" ? minorNewest : parseMinor(profile);
  if (minor !== undefined) {
    const fits = controlPlane.taintManager || withoutTaintManager(kubernetesProfile(minor));
    if (fits !== undefined) return [];
    const path = ["controlPlane", "taintManager"];
    return [{ path, message: `expected true: ${profile} cannot do without, 1.26 was the last` }];
  }
  const range = `1.${minorOldest} to 1.${minorNewest}`;
  return [{ path: ["profile"], message: `expected ${range}, or wavetank; found ${profile}` }];
}

function stepComplaints(step: Step, scenario: Scenario, index: number): Complaint[] {
  const path = ["timeline", index];
  const late =
    step.atSeconds > scenario.durationSeconds
      ? [{ path, message: `expected before the end, at ${scenario.durationSeconds} s` }]
      : [];
  if (step.kind === "apply")
    return [
      ...late,
      ...step.manifests.flatMap((manifest, at) =>
        manifestComplaints(manifest, [...path, "manifests", at]),
      ),
    ];
  if (step.kind === "delete" && !isKnownResource(step.resource)) {
    const message = `there is no resource ${step.resource}: expected a plural name like pods or jobs.batch`;
    return [...late, { path: [...path, "resource"], message }];
  }
  if (step.kind === "outage") return [...late, ...masterComplaints(step.masters, scenario, path)];
  return step.kind === "node" ? [...late, ...nodeComplaints(step.names, scenario, path)] : late;
}

function masterComplaints(
  numbers: readonly number[],
  { controlPlane: { masters } }: Scenario,
  path: Path,
): Complaint[] {
  return numbers.flatMap((number, at) =>
    number <= masters
      ? []
      : [
          {
            path: [...path, "masters", at],
            message: `there is no master ${number}: expected 1 to ${masters}`,
          },
        ],
  );
}

function nodeComplaints(names: readonly string[], { nodes }: Scenario, path: Path): Complaint[] {
  const known = (name: string): boolean => {
    const index = Number(/^node-([1-9]\d*)$/.exec(name)?.[1] ?? "0");
    return index >= 1 && index <= nodes;
  };
  return names.flatMap((name, at) =>
    known(name)
      ? []
      : [
          {
            path: [...path, "names", at],
            message: `there is no node ${name}: expected node-1 to node-${nodes}`,
          },
        ],
  );
}

function manifestComplaints({ apiVersion, kind }: Manifest, path: Path): Complaint[] {
  if (knownKind(apiVersion, kind) !== undefined) return [];
  return [{ path: [...path, "kind"], message: `${apiVersion} ${kind} is no built-in kind` }];
}

function figureComplaints(name: string, populations: readonly string[], path: Path): Complaint[] {
  if (figureKind(name, populations) !== undefined) return [];
  const known = [
    ...Object.keys(figureKinds),
    ...populations.flatMap((population) =>
      Object.keys(populationFigures).map((what) => `population.${population}.${what}`),
    ),
  ];
  const start = name.split(".")[0] ?? "";
  const near = known.filter((one) => one.startsWith(`${start}.`));
  const list = (near.length > 0 ? near : known).join(", ");
  return [{ path, message: `there is no figure ${name}: expected one of ${list}` }];
}
