import { describe, expect, it } from "vitest";
import { claim, controllerRefTo } from "./controller-ref.ts";
import { served, somePod } from "./some-pod.testbed.ts";

const selector = [{ key: "app", operator: "=" as const, values: ["web"] }];
const owner = { kind: "ReplicaSet", apiVersion: "apps/v1", metadata: served("rs") };
const stranger = { kind: "ReplicaSet", apiVersion: "apps/v1", metadata: served("other") };
const leaving = { ...owner, metadata: served("rs", { deletionTimestamp: "2026-01-01T00:00:00Z" }) };
const web = { app: "web" };

function pod(labels: Record<string, string>, of?: typeof owner, terminating = false) {
  const made = somePod("p", { labels, terminating });
  const ownerReferences = of === undefined ? [] : [controllerRefTo(of)];
  return { ...made, metadata: { ...made.metadata, ownerReferences } };
}

describe("a claim", () => {
  it.each([
    ["its own", owner, pod(web, owner), "owned"],
    ["its own that leaves", owner, pod(web, owner, true), "owned"],
    ["its own that it no longer selects", owner, pod({}, owner), "release"],
    ["nothing when it leaves itself", leaving, pod({}, owner), undefined],
    ["an orphan", owner, pod(web), "adopt"],
    ["no orphan when it leaves", leaving, pod(web), undefined],
    ["no orphan that leaves", owner, pod(web, undefined, true), undefined],
    ["no orphan it does not select", owner, pod({}), undefined],
    ["nothing of a stranger", owner, pod(web, stranger), undefined],
  ])("is for %s", (_, by, object, part) => {
    const { owned, adopt, release } = claim(by, [object], { selector });
    const parts = Object.entries({ owned, adopt, release }).filter(([, list]) => list.length > 0);
    expect(parts.map(([name]) => name)).toEqual(part === undefined ? [] : [part]);
  });

  it("leaves out what it cannot use", () => {
    const { adopt } = claim(owner, [pod(web)], { selector, isClaimable: () => false });
    expect(adopt).toEqual([]);
  });
});
