import { describe, expect, test } from "vitest";
import { schema } from "../../api/schema/schema.ts";
import { openApiV2 } from "./v2.ts";
import { openApiV3, openApiV3Names } from "./v3.ts";

function referencesIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value))
    if (key === "$ref" && typeof inner === "string") found.add(inner);
    else referencesIn(inner, found);
  return found;
}

function difference(a: Iterable<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((each) => !b.has(each));
}

describe("every reference resolves, and every schema is referred to", () => {
  test.each(openApiV3Names(schema))("v3 %s", (name) => {
    const document = openApiV3(schema, name);
    const defined = new Set(
      Object.keys(document?.components.schemas ?? {}).map((id) => `#/components/schemas/${id}`),
    );
    const used = referencesIn(document);
    expect(difference(used, defined)).toEqual([]);
    expect(difference(defined, used)).toEqual([]);
  });

  test("v2", () => {
    const document = openApiV2(schema);
    const defined = new Set(Object.keys(document.definitions).map((id) => `#/definitions/${id}`));
    const used = referencesIn(document);
    expect(difference(used, defined)).toEqual([]);
    expect(difference(defined, used)).toEqual([]);
    expect(defined.size).toBeGreaterThan(500);
  });
});
