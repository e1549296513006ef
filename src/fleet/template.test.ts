import { describe, expect, it } from "vitest";
import { objectOf } from "./object-template.ts";
import { fill, fillAll, unknownNames } from "./template.ts";

describe("a template", () => {
  const values = { index: 3, node: "node-4" };

  it.each([
    ["spec.nodeName={{.node}}", "spec.nodeName=node-4"],
    ["a-{{ .index }}-{{.index}}", "a-3-3"],
    ["plain", "plain"],
    ["{{.other}}", "{{.other}}"],
  ])("%s", (text, filled) => {
    expect(fill(text, values)).toBe(filled);
  });

  it("fills every text within, and nothing else", () => {
    const object = { a: ["{{.index}}", 1, null], b: { c: "{{.node}}" }, "{{.index}}": true };
    expect(fillAll(object, values)).toEqual({
      a: ["3", 1, null],
      b: { c: "node-4" },
      "{{.index}}": true,
    });
  });

  it("finds what nobody can fill", () => {
    expect(unknownNames("{{.a}} {{.index}} {{.b}}", ["index"])).toEqual(["a", "b"]);
    expect(unknownNames("{{ 1 + 1 }}", ["index"])).toEqual(["{{ 1 + 1 }}"]);
  });

  it("makes objects as large as told, with valid base64", () => {
    const manifest = { apiVersion: "v1", kind: "Secret", metadata: { name: "s-{{.index}}" } };
    const object = objectOf(manifest, values, { field: "data.fill", bytes: 10 });
    expect(object).toMatchObject({ metadata: { name: "s-3" }, data: { fill: "wavewavewave" } });
    expect(manifest).not.toHaveProperty("data");
  });
});
