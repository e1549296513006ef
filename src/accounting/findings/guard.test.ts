import { describe, expect, it } from "vitest";
import { row } from "../accounting.testbed.ts";
import { adviseGuard } from "./guard.ts";
import { byUser, patternsOf } from "./pattern.ts";

function adviceFor(of: Parameters<typeof row>[0]): ReturnType<typeof adviseGuard> {
  return adviseGuard(patternsOf([row(of)], byUser)[0]!);
}

describe("a guard", () => {
  it("is a level of its own and a schema that leads only this there", () => {
    const user = "system:serviceaccount:storm:Collector_1";
    expect(adviceFor({ client: { user }, shape: { subresource: "log" } })).toMatchObject({
      kind: "Objects",
      objects: [
        {
          kind: "PriorityLevelConfiguration",
          metadata: { name: "bound-list-pods-collector-1" },
          spec: { type: "Limited" },
        },
        {
          kind: "FlowSchema",
          metadata: { name: "bound-list-pods-collector-1" },
          spec: {
            priorityLevelConfiguration: { name: "bound-list-pods-collector-1" },
            rules: [
              {
                subjects: [
                  {
                    kind: "ServiceAccount",
                    serviceAccount: { namespace: "storm", name: "Collector_1" },
                  },
                ],
                resourceRules: [{ verbs: ["list"], apiGroups: [""], resources: ["pods/log"] }],
              },
            ],
          },
        },
      ],
    });
  });

  /** Between the schema that takes these requests by default and the one before it. */
  it.each([
    ["system:node:n1", 400, 500],
    ["system:kube-scheduler", 500, 800],
    ["system:serviceaccount:kube-system:x", 800, 900],
    ["system:serviceaccount:default:x", 900, 9_000],
    ["ann", 9_000, 9_900],
  ])("for %s comes just in time", (user, after, before) => {
    const advice = adviceFor({ client: { user } });
    const schema = advice.kind === "Objects" ? advice.objects[1] : undefined;
    const { spec } = schema as { spec: { matchingPrecedence: number } };
    expect(spec.matchingPrecedence).toBeGreaterThan(after);
    expect(spec.matchingPrecedence).toBeLessThan(before);
  });

  it("of paths speaks of paths", () => {
    const shape = { verb: "get", resource: "", path: "/metrics" };
    expect(JSON.stringify(adviceFor({ shape }))).toContain(
      '"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/metrics"]}]',
    );
  });

  it("cannot hold what flow control never holds", () => {
    expect(adviceFor({ client: { exempt: true } })).toMatchObject({ kind: "None" });
  });
});
