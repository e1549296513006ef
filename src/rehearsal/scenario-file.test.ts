import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { incidentSchema } from "./library/incident.ts";
import { parseScenario } from "./scenario-file.ts";
import { scenarioSchema } from "./scenario-schema.ts";

const good = `name: my-storm
title: My storm
summary: Agents list all pods
profile: "1.30"
nodes: 2
populations:
  - name: agents
    behaviour: { kind: lister, read: { resource: pods } }
durationSeconds: 60
timeline:
  - { atSeconds: 10, kind: outage, what: api-servers, masters: [2] }
  - { atSeconds: 20, kind: node, deed: kill, names: [node-1] }
guard:
  summary: An upgrade
  profile: "1.31"
  kubelet: { qps: 50 }
checks:
  - { name: calm, figure: etcd.memory.ratio, atMost: 2 }
verdict: { off: "{{etcd.memory.ratio}} by {{culprit}}" }
`;

function errorOf(text: string, set: readonly string[] = []): string {
  try {
    parseScenario(text, "f.yaml", set);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a scenario file", () => {
  it("becomes a scenario with everything that was left out", () => {
    const scenario = parseScenario(good, "f.yaml", []);
    expect(scenario).toMatchObject({
      controlPlane: { masters: 3, cores: 4, etcdQuotaMiB: 2_048, livenessProbe: true },
      kubelet: { podsMax: 110 },
      controllers: false,
      guard: { manifests: [], prepare: [], profile: "1.31", kubelet: { qps: 50 } },
      checks: [{ guard: "both" }],
      verdict: { on: "{{etcd.memory.ratio}} by {{culprit}}" },
    });
  });

  it.each([
    ["a number out of range", "nodes: 2", "nodes: -1", ":5: nodes: expected a whole number from 0"],
    ["a misspelt field", "nodes: 2", "node: 2", ":5: node: "],
    ["a version that is not known", '"1.30"', '"1.12"', ":4: profile: expected 1.16 to 1.36"],
    ["an upgrade to one", '"1.31"', '"1.99"', ":15: guard.profile: expected 1.16 to 1.36"],
    [
      "a node that is not there",
      "node-1]",
      "node-7]",
      ":12: timeline[1].names[0]: there is no node node-7",
    ],
    [
      "a master that is not there",
      "masters: [2]",
      "masters: [5]",
      ":11: timeline[0].masters[0]: there is no master 5: expected 1 to 3",
    ],
    [
      "a step after the end",
      "atSeconds: 20",
      "atSeconds: 90",
      ":12: timeline[1]: expected before the end, at 60 s",
    ],
    [
      "a figure that is not there",
      "etcd.memory.ratio, at",
      "etcd.memory.mean, at",
      ":18: checks[0].figure: there is no figure etcd.memory.mean: expected one of etcd.",
    ],
    ["a check of nothing", ", atMost: 2", "", ":18: checks[0]: expected atLeast, atMost or both"],
    [
      "a figure in the verdict",
      "{{etcd.memory.ratio}}",
      "{{etcd.peak}}",
      ":19: verdict.off: there is no figure etcd.peak",
    ],
    ["a resource that is not there", "resource: pods", "resource: pod", "there is no resource pod"],
    ["broken YAML", "nodes: 2", "nodes: [2", ":6"],
  ])("says where and what of %s", (_, from, to, complaint) => {
    expect(good).toContain(from);
    const error = errorOf(good.replace(from, to));
    expect(error).toContain("f.yaml");
    expect(error).toContain(complaint);
  });

  it.each([
    ["scenario", scenarioSchema],
    ["incident", incidentSchema],
  ])("schema/%s.json is the schema (npm run generate)", (name, schema) => {
    const path = new URL(`../../schema/${name}.json`, import.meta.url);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...(JSON.parse(JSON.stringify(schema)) as object),
    });
  });
});
