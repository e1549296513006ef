import { describe, expect, it } from "vitest";
import { parseCostFile } from "./cost-file.ts";
import { kubeCosts, costsFor } from "./cost-profiles.ts";

const file = `
name: my-server
profile: "1.30"
costs:
  apiServer:
    requestCpu: { value: 0.3, unit: ms, source: "measured on 2026-01-02" }
`;

describe("a file of costs", () => {
  it("changes what it names and leaves the rest as the profile has it", () => {
    const { profile, costs } = parseCostFile(file, "mine.yaml");
    const joined = costsFor({ profile, costs });
    expect(joined.apiServer.requestCpu).toEqual({
      value: 0.3,
      unit: "ms",
      source: "measured on 2026-01-02",
    });
    expect(joined.apiServer.eventCpu).toEqual(kubeCosts.apiServer.eventCpu);
    expect(joined.etcd).toEqual(kubeCosts.etcd);
  });

  it("is refused with the line of what is wrong", () => {
    const wrong = file.replace("requestCpu", "requestCost");
    expect(() => parseCostFile(wrong, "mine.yaml")).toThrow(/mine\.yaml:6: costs\.apiServer/);
  });
});
