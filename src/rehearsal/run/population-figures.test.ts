import { expect, it } from "vitest";
import type { FleetReport } from "../../fleet/report.ts";
import { populationWarnings } from "./population-figures.ts";

/** Of 100 requests so many were answered with `status`. */
function reportWith(status: number, count: number): FleetReport {
  const errors = [{ status, count, reason: "", message: "said why" }];
  return { populations: [{ name: "agents", requests: { started: 100 }, errors }] } as never;
}

it.each([
  ["all wrong", 400, 100, ["agents: 100 of 100 requests were answered 400: said why"]],
  ["half without rights", 403, 50, ["agents: 50 of 100 requests were answered 403: said why"]],
  ["some wrong", 400, 49, []],
  ["all refused as too many", 429, 100, []],
  ["a server in need", 504, 100, []],
])("%s", (_, status, count, warnings) => {
  expect(populationWarnings(reportWith(status, count))).toEqual(warnings);
});
