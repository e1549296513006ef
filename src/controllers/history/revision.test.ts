import { describe, expect, it } from "vitest";
import type { ControllerRevision } from "../../api/types/apps-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { served } from "../pods/some-pod.testbed.ts";
import { draftRevision, expiredRevisions, planRevision, templateOf } from "./revision.ts";

const owner = { kind: "DaemonSet", apiVersion: "apps/v1", metadata: served("agent") };
const template = (image: string) => ({
  metadata: { labels: { app: "agent" } },
  spec: { containers: [{ name: "c", image }] },
});
const of = (image: string) => ({
  owner,
  template: template(image),
  hashLabel: "hash",
  collisionCount: 0,
});

function stored(image: string, number: number): Served<ControllerRevision> {
  const draft = draftRevision(of(image), number);
  return { ...draft, metadata: { ...draft.metadata, ...served(draft.metadata.name ?? "") } };
}

const history = [stored("a:1", 1), stored("a:2", 2)];

describe("a revision", () => {
  it("keeps the template as the patch that brings it back", () => {
    const { data, metadata } = draftRevision(of("a:1"), 1);
    expect(data).toEqual({ spec: { template: { ...template("a:1"), $patch: "replace" } } });
    expect(metadata).toMatchObject({
      name: `agent-${metadata.labels?.["hash"]}`,
      labels: { app: "agent" },
    });
    expect(templateOf({ metadata, data, revision: 1 })).toEqual(template("a:1"));
  });

  it("is kept, comes back, or is new", () => {
    expect(planRevision(of("a:2"), history)).toEqual({ kind: "keep", revision: history[1] });
    expect(planRevision(of("a:1"), history)).toEqual({
      kind: "renumber",
      revision: { ...history[0], revision: 3 },
    });
    expect(planRevision(of("a:3"), history)).toMatchObject({
      kind: "create",
      revision: { revision: 3 },
    });
    expect(planRevision(of("a:1"), [])).toMatchObject({
      kind: "create",
      revision: { revision: 1 },
    });
  });

  it("goes when it is old and unused", () => {
    expect(expiredRevisions(history, () => false, 1)).toEqual([history[0]]);
    expect(expiredRevisions(history, (one) => one === history[0], 0)).toEqual([history[1]]);
    expect(expiredRevisions(history, () => false, 2)).toEqual([]);
  });
});
