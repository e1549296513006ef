import { describe, expect, it } from "vitest";
import type { Event } from "../api/types/core-v1.ts";
import { type Simulation, simulate } from "../../test/simulation.ts";
import { EventCorrelator, correlatorLimitsUsual } from "./event-correlator.ts";

let sequence = 0;

function event(message: string, object = "pod", reason = "Failed"): Event {
  return {
    metadata: { name: `${object}.${sequence++}`, namespace: "default" },
    involvedObject: { kind: "Pod", namespace: "default", name: object, uid: object },
    type: "Warning",
    reason,
    message,
    source: { component: "test" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: `at ${sequence}`,
    count: 1,
    reportingComponent: "test",
    reportingInstance: "",
  };
}

/** Limits of spam that do not come into play. */
const patient = { ...correlatorLimitsUsual, spam: { qps: 1, burst: 1_000 } };

function make(limits = correlatorLimitsUsual): Simulation & { correlator: EventCorrelator } {
  const simulation = simulate();
  return { ...simulation, correlator: new EventCorrelator(simulation.host.clock, limits) };
}

describe("an event correlator", () => {
  it("counts an event that comes again", () => {
    const { correlator } = make();
    const first = event("no");
    expect(correlator.correlate(first)).toEqual({ do: "create", event: first });
    correlator.correlate(event("no"));
    const third = event("no");
    expect(correlator.correlate(third)).toEqual({
      do: "patch",
      event: { ...third, metadata: first.metadata, count: 3 },
      patch: { count: 3, lastTimestamp: third.lastTimestamp, message: "no" },
    });
    expect(correlator.correlate(event("no", "another"))).toMatchObject({ do: "create" });
  });

  it("combines what differs by message only, from the tenth on", () => {
    const { correlator } = make(patient);
    const results = Array.from({ length: 12 }, (_, index) =>
      correlator.correlate(event(`m${index}`)),
    );
    expect(results.slice(0, 9).every((one) => one.do === "create")).toBe(true);
    expect(results.slice(9)).toMatchObject([
      {
        do: "create",
        event: {
          message: "(combined from similar events): m9",
          count: 1,
          source: { component: "test" },
          reportingComponent: "",
          reportingInstance: "",
        },
      },
      { do: "patch", patch: { message: "(combined from similar events): m10", count: 2 } },
      { do: "patch", patch: { message: "(combined from similar events): m11", count: 3 } },
    ]);
    expect(correlator.correlate(event("m12", "pod", "Other"))).toMatchObject({
      do: "create",
      event: { message: "m12" },
    });
  });

  it("starts a group anew after ten quiet minutes", async () => {
    const { correlator, driver } = make(patient);
    for (let i = 0; i < 9; i++) correlator.correlate(event(`m${i}`));
    await driver.advance(600_001);
    expect(correlator.correlate(event("m9"))).toMatchObject({ event: { message: "m9" } });
  });

  it("cuts a source off after 25 events about one object, but for one in five minutes", async () => {
    const { correlator, driver } = make();
    const said = (object: string): string[] =>
      Array.from({ length: 30 }, () => correlator.correlate(event("same", object)).do);
    expect(said("pod").filter((what) => what !== "drop")).toHaveLength(25);
    expect(said("other").filter((what) => what !== "drop")).toHaveLength(25);
    await driver.advance(300_000);
    const later = said("pod").filter((what) => what !== "drop");
    expect(later).toEqual(["patch"]);
  });
});
