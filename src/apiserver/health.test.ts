import { describe, expect, it } from "vitest";
import type { Log, LogFields } from "../host/host.ts";
import { type HealthEndpoint, healthReply } from "./health.ts";
import type { HealthCheck } from "./parts.ts";
import { Query } from "./query.ts";

const lines: [string, LogFields | undefined][] = [];
const log: Log = {
  info: () => undefined,
  warn: (message, fields) => void lines.push([message, fields]),
  error: () => undefined,
};
const checks: HealthCheck[] = [
  { name: "ping", on: ["livez", "readyz"], check: async () => undefined },
  { name: "etcd", on: ["livez", "readyz"], check: async () => "no answer" },
  { name: "shutdown", on: ["readyz"], check: async () => undefined },
];

const ask = (endpoint: HealthEndpoint, query = "", check = ""): ReturnType<typeof healthReply> =>
  healthReply(log, checks, { endpoint, check, query: new Query(query) });

describe("healthReply", () => {
  it.each([
    ["livez", "exclude=etcd", 200, "ok"],
    [
      "healthz",
      "exclude=etcd&verbose",
      200,
      "[+]ping ok\n[+]etcd excluded: ok\nhealthz check passed\n",
    ],
    [
      "readyz",
      "",
      500,
      "[+]ping ok\n[-]etcd failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n",
    ],
    [
      "livez",
      "exclude=etcd&exclude=x&verbose",
      200,
      '[+]ping ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nlivez check passed\n',
    ],
  ] as const)("%s?%s", async (endpoint, query, status, body) => {
    expect(await ask(endpoint, query)).toMatchObject({ status, body });
  });

  it("answers single checks and misses unknown ones", async () => {
    expect(await ask("livez", "", "ping")).toMatchObject({ status: 200, body: "ok" });
    expect(await ask("livez", "", "shutdown")).toBeUndefined();
    expect((await ask("livez", "", "etcd"))?.status).toBe(500);
  });

  it("tells the log, not the client, why", async () => {
    lines.length = 0;
    await ask("livez");
    expect(lines).toEqual([
      ["health check failed", { endpoint: "livez", check: "etcd", reason: "no answer" }],
    ]);
  });
});
