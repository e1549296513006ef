import { expect, test } from "vitest";
import { noListOptions } from "../api/meta/list-options.ts";
import type { FlowAnswer } from "./flow-pass.ts";
import { MaxInFlight } from "./max-in-flight.ts";
import { someDigest } from "./queue-set.testbed.ts";

const enter = (gate: MaxInFlight, verb: string, groups: readonly string[] = []): FlowAnswer =>
  gate.enter({
    digest: { ...someDigest, verb, user: { ...someDigest.user, groups } },
    timeoutMs: 60_000,
    listOptions: () => noListOptions,
    signal: () => new AbortController().signal,
  });

test("reading and writing requests are limited apart, watches not at all", () => {
  const gate = new MaxInFlight({ reading: 2, mutating: 1 });
  const kinds = ["get", "list", "get", "update", "patch", "watch"].map(
    (verb) => enter(gate, verb).kind,
  );
  expect(kinds).toEqual(["Passed", "Passed", "Refused", "Passed", "Refused", "Passed"]);
});

test("a place is free again once it is left, once", () => {
  const gate = new MaxInFlight({ reading: 1, mutating: 1 });
  const first = enter(gate, "get");
  if (first.kind !== "Passed") throw new Error("it has to pass");
  first.release();
  first.leave();
  expect(enter(gate, "get").kind).toBe("Passed");
  expect(enter(gate, "get")).toMatchObject({ kind: "Refused", retryAfterSeconds: 1 });
});

test("administrators are always let in", () => {
  const gate = new MaxInFlight({ reading: 1, mutating: 1 });
  enter(gate, "get");
  expect(enter(gate, "get", ["system:masters"]).kind).toBe("Passed");
});

test("0 is no limit", () => {
  const gate = new MaxInFlight({ reading: 0, mutating: 1 });
  expect([1, 2, 3].map(() => enter(gate, "get").kind)).not.toContain("Refused");
});
