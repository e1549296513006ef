import { Command } from "commander";
import { expect, test } from "vitest";
import { type ApiRateFlags, addApiRateFlags, apiRateStartOptions } from "./api-rate-flags.ts";

function optionsOf(args: readonly string[]): unknown {
  const command = new Command("up").exitOverride().configureOutput({ writeErr: () => undefined });
  addApiRateFlags(command);
  command.parse(args, { from: "user" });
  return apiRateStartOptions(command.opts<ApiRateFlags>());
}

test.each<[readonly string[], object]>([
  [[], {}],
  [["--kube-api-qps", "500"], { apiRateLimit: { qps: 500, burst: 30 } }],
  [["--kube-api-burst", "500"], { apiRateLimit: { qps: 20, burst: 500 } }],
  [["--kube-api-qps=7.5", "--kube-api-burst=9"], { apiRateLimit: { qps: 7.5, burst: 9 } }],
])("%j", (args, options) => {
  expect(optionsOf(args)).toEqual(options);
});

test.each(["0", "-1", "many"])("%s is no rate", (text) => {
  expect(() => optionsOf([`--kube-api-qps=${text}`])).toThrow("a rate is a number of 1 or more.");
});
