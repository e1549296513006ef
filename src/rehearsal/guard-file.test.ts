import { describe, expect, it } from "vitest";
import { parseGuard } from "./guard-file.ts";

const quota = `
apiVersion: v1
kind: ResourceQuota
metadata: { name: few, namespace: apps }
spec: { hard: { pods: "5" } }
`;

describe("a user's own guard", () => {
  it("is all documents of the file", () => {
    const guard = parseGuard(`---\n${quota}---\n---${quota.replace("few", "fewer")}`, "g.yaml");
    expect(guard.manifests.map(({ metadata }) => metadata.name)).toEqual(["few", "fewer"]);
    expect(guard).toMatchObject({ summary: "g.yaml", prepare: [] });
  });

  it.each([
    ["an unknown kind", quota.replace("ResourceQuota", "Quota"), "document 1: expected an object"],
    ["no name", quota.replace("name: few, ", ""), "document 1: expected an object"],
    ["a list", `${quota}---\n- 1`, "document 2: expected an object"],
    ["broken YAML", `${quota}---\n{`, "document 2: "],
    ["nothing", "# nothing\n", "expected manifests, found none"],
  ])("is refused for %s", (_, text, words) => {
    expect(() => parseGuard(text, "g.yaml")).toThrow(`g.yaml: ${words}`);
  });
});
