import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { PopulationFile } from "./population.ts";
import { noChanges, parsePopulationFile } from "./population-file.ts";
import { populationSchema } from "./population-schema.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const good = `name: small
prepare:
  - manifest: { apiVersion: v1, kind: Secret, metadata: { name: "s-{{.index}}" } }
    count: 3
populations:
  - name: readers
    count: 4
    behaviour:
      kind: lister
      read: { resource: pods }
  - name: quiet
    behaviour: { kind: bystander }
`;

const parse = (text: string, set: readonly string[] = [], scale = 1): PopulationFile =>
  parsePopulationFile(text, "f.yaml", { set, scale });

function errorOf(text: string, set: readonly string[] = []): string {
  try {
    parse(text, set);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a populations file", () => {
  it("becomes records with everything that was left out", () => {
    const [readers, quiet] = parse(good).populations;
    expect(readers).toMatchObject({
      count: 4,
      identity: { kind: "self" },
      connection: "member",
      library: "client-go",
      start: { kind: "together", afterSeconds: 0 },
      behaviour: { times: 1, parallel: 1 },
    });
    expect(quiet?.behaviour).toEqual({
      kind: "bystander",
      everySeconds: 1,
      read: { resource: "namespaces", name: "default" },
    });
  });

  it.each([
    [
      "a wrong type",
      "count: 4",
      "count: many",
      ':7: populations[0].count: expected a whole number from 1 to 20000, found "many"',
    ],
    [
      "an unknown field",
      "    count: 4",
      "    cuont: 4",
      ":7: populations[0].cuont: there is no field cuont: meant count?",
    ],
    [
      "an unknown kind",
      "kind: bystander",
      "kind: watcher",
      ':12: populations[1].behaviour.kind: expected kind: informer | vector | lister | poller | bystander | hot-writer | mass-deleter | creator | kubelet; found "watcher"',
    ],
    [
      "an unknown resource",
      "resource: pods",
      "resource: pod",
      ":10: populations[0].behaviour.read.resource: there is no resource pod: meant pods?",
    ],
    [
      "a resource without its group",
      "resource: pods",
      "resource: deployments",
      ":10: populations[0].behaviour.read.resource: there is no resource deployments: meant deployments.apps?",
    ],
    [
      "an unknown place",
      "s-{{.index}}",
      "s-{{.idx}}",
      ":3: prepare[0].manifest.metadata.name: {{.idx}} is not known here: expected {{.index}}, {{.node}}",
    ],
    [
      "one name for many",
      "s-{{.index}}",
      "s",
      ":3: prepare[0].manifest.metadata.name: expected a name with {{.index}}, because there are 3 of them",
    ],
    [
      "an unknown object",
      "kind: Secret",
      "kind: Sekret",
      ":3: prepare[0].manifest.kind: v1 Sekret is not known: no built-in kind",
    ],
    [
      "two of one name",
      "name: quiet",
      "name: readers",
      ":11: populations[1].name: there are two populations readers",
    ],
    ["what is not there", "name: small", "# nameless", ":2: name is missing: expected text"],
  ])("says where it is wrong: %s", (_, from, to, complaint) => {
    expect(errorOf(good.replace(from, to)).split("\n")).toContain(`f.yaml${complaint}`);
  });

  it("says where it is no YAML", () => {
    expect(errorOf(good.replace("count: 4", "count: 4: 5"))).toMatch(/^f\.yaml:7: Nested mappings/);
  });

  it("is changed by paths, with names or numbers for what is in lists", () => {
    const set = [
      "populations.readers.count=9",
      "populations.1.behaviour={kind: bystander, everySeconds: 5}",
    ];
    const { populations } = parse(good, set);
    expect(populations[0]?.count).toBe(9);
    expect(populations[1]?.behaviour).toMatchObject({ everySeconds: 5 });
  });

  it.each([
    [
      "populations.writers.count=1",
      "--set populations.writers.count=1: expected one of readers, quiet, found writers",
    ],
    ["count", "--set count: expected path=value"],
    [
      "populations.readers.count=0",
      "f.yaml: populations[0].count: expected a whole number from 1 to 20000, found 0",
    ],
  ])("says what a change has wrong: %s", (set, complaint) => {
    expect(errorOf(good, [set])).toContain(complaint.replace("f.yaml", ""));
  });

  it("grows and shrinks, bystanders aside", () => {
    const half = parse(good.replace("count: 3", "count: 300"), [], 0.5);
    expect(half.prepare[0]?.count).toBe(150);
    expect(half.populations.map(({ count }) => count)).toEqual([2, 1]);
  });

  it("has a bound for its members", () => {
    const file = good.replace("count: 4", "count: 20000");
    expect(errorOf(file)).toBe("f.yaml: 20001 members, at most 20000");
  });
});

describe("what is shipped", () => {
  const names = readdirSync(`${root}/populations`);

  it.each(names)("%s is a good file", (name) => {
    const text = readFileSync(`${root}/populations/${name}`, "utf8");
    const file = parsePopulationFile(text, name, noChanges);
    expect(`${file.name}.yaml`).toBe(name);
    expect(file.description).not.toBe("");
  });

  it("schema/population.json is this schema (npm run generate)", () => {
    const published: unknown = JSON.parse(readFileSync(`${root}/schema/population.json`, "utf8"));
    expect(published).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...(JSON.parse(JSON.stringify(populationSchema)) as object),
    });
  });
});
