import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../scenario-file.ts";
import { parseIncident } from "./incident.ts";
import {
  type LibraryEntry,
  linksOf,
  listText,
  scenarioNames,
  scenarioPath,
  showText,
} from "./library.ts";

const folder = new URL("../../../incidents/", import.meta.url).pathname;

const library: readonly LibraryEntry[] = readdirSync(folder).map((slug) => {
  const path = `${folder}${slug}/incident.yaml`;
  const incident = parseIncident(readFileSync(path, "utf8"), path);
  return { slug, incident, scenarios: scenarioNames(slug, readdirSync(`${folder}${slug}`)) };
});

describe("the incident library", () => {
  it("holds the three seeds and more", () => {
    const slugs = library.map(({ slug }) => slug);
    expect(slugs).toEqual(
      expect.arrayContaining(["daemonset-list-storm", "kubelet-watch-storm", "runaway-job"]),
    );
    expect(library.length).toBeGreaterThanOrEqual(20);
  });

  it.each(library.flatMap(({ scenarios }) => scenarios).map((name) => [name]))(
    "%s is a sound scenario of that name",
    (name) => {
      const path = `${folder}${scenarioPath(name)}`;
      expect(parseScenario(readFileSync(path, "utf8"), path, []).name).toBe(name.split("/").at(-1));
    },
  );

  it("links incidents by root cause and by component", () => {
    const entry = library.find(({ slug }) => slug === "runaway-job");
    expect(entry).toBeDefined();
    if (entry === undefined) return;
    const { sameRootCause, sharedComponent } = linksOf(entry, library);
    expect(sameRootCause).toContain("job-with-node-name");
    expect(sameRootCause).not.toContain("runaway-job");
    const storm = sharedComponent.find(({ slug }) => slug === "daemonset-list-storm");
    expect(storm?.components).toEqual(["etcd", "kube-apiserver"]);
    expect(showText(entry, library)).toContain("Same root cause\n");
    expect(listText(library).split("\n").length).toBe(library.length + 2);
  });
});
