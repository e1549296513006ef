import { describe, expect, it } from "vitest";
import { digest } from "../accounting.testbed.ts";
import { SelectorShapes, keyOf, selectorShape, shapeOf } from "./shape.ts";

describe("the shape of a selector", () => {
  it.each([
    ["a=b", "a=?"],
    ["a==b,c!=d", "a==?,c!=?"],
    ["tier in (x, y),app=z", "app=?,tier in (?)"],
    ["!gone,there", "!gone,there"],
    ["metadata.name=x,spec.nodeName=y", "metadata.name=?,spec.nodeName=?"],
  ])("%s is %s", (selector, shape) => expect(selectorShape(selector)).toBe(shape));
});

describe("the state that a LIST wants", () => {
  it.each([
    [{}, "quorum"],
    [{ resourceVersion: "0" }, "any"],
    [{ resourceVersion: "5" }, "not-older"],
    [{ resourceVersion: "5", limit: "10" }, "exact"],
    [{ resourceVersion: "5", resourceVersionMatch: "Exact" }, "exact"],
    [{ continue: "token" }, "continue"],
    [{ verb: "get" }, "quorum"],
    [{ verb: "create" }, ""],
  ])("%j is %s", (asked, freshness) => {
    expect(shapeOf(digest(asked), new SelectorShapes()).resourceVersion).toBe(freshness);
  });
});

describe("a row's key", () => {
  const selectors = new SelectorShapes();
  const key = (more: Parameters<typeof digest>[0]) => keyOf(digest(more), selectors);

  it("leaves names and values out", () => {
    expect(key({ verb: "get", name: "a" })).toBe(key({ verb: "get", name: "b" }));
    expect(key({ labelSelector: "a=1" })).toBe(key({ labelSelector: "a=2" }));
    expect(key({ namespace: "a" })).toBe(key({ namespace: "b" }));
  });

  it("keeps kinds apart", () => {
    const keys = [
      {},
      { as: "bob" },
      { userAgent: "other" },
      { source: "10.0.0.2" },
      { flowSchema: "uid" },
      { resource: "nodes" },
      { group: "apps" },
      { subresource: "log" },
      { namespace: "n" },
      { limit: "500" },
      { resourceVersion: "0" },
      { labelSelector: "a=1" },
      { isResource: false, path: "/metrics", verb: "get" },
    ].map(key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
