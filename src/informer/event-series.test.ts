import { expect, it } from "vitest";
import type { Event } from "../api/types/core-v1.ts";
import { simulate } from "../../test/simulation.ts";
import type { BareEvent } from "./event-style.ts";
import { EventSeries, seriesEndsAfterMs } from "./event-series.ts";

const { host, driver } = simulate();
const series = new EventSeries(host.clock, 3);

function event(name: string, resourceVersion = "1"): Event {
  const bare: BareEvent = {
    metadata: { name, namespace: "default" },
    involvedObject: { kind: "Pod", namespace: "default", name: "pod", resourceVersion },
    type: "Warning",
    reason: "FailedScheduling",
    message: `for the reason ${name}`,
  };
  return series.complete(bare, { component: "default-scheduler", action: "Scheduling" });
}

it("says who and when as events.k8s.io does", () => {
  expect(event("e")).toMatchObject({
    action: "Scheduling",
    eventTime: "2026-01-01T00:00:00.000000Z",
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: "default-scheduler",
  });
});

it("writes an event, the series that it becomes, and the end of the series", async () => {
  const first = event("a");
  expect(series.correlate(first)).toEqual({ do: "create", event: first });
  await driver.advance(1_000);
  const two = { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" };
  const opened = { do: "patch", event: { ...first, series: two }, patch: { series: two } };
  expect(series.correlate(event("b"))).toEqual(opened);
  await driver.advance(1_000);
  expect(series.correlate(event("c"))).toEqual({ do: "drop" });
  expect(series.correlate(event("d", "2"))).toMatchObject({ do: "create" });
  await driver.advance(seriesEndsAfterMs);
  expect(series.over()).toEqual([]);
  await driver.advance(1);
  const three = { count: 3, lastObservedTime: "2026-01-01T00:00:02.000000Z" };
  expect(series.over()).toMatchObject([
    { event: { metadata: first.metadata }, patch: { series: three } },
  ]);
  expect(series.over()).toEqual([]);
  expect(series.correlate(event("f"))).toMatchObject({ do: "create" });
});

it("remembers so many and no more", () => {
  for (const version of ["3", "4", "5", "6"]) series.correlate(event("g", version));
  expect(series.correlate(event("h", "3"))).toMatchObject({ do: "create" });
  expect(series.correlate(event("h", "6"))).toMatchObject({ do: "patch" });
});
