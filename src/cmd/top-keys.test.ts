import { describe, expect, it } from "vitest";
import { type LiveState, footer, press } from "./top-keys.ts";

const start: LiveState = {
  view: { by: "user", sort: "load", filter: "old", span: "window", flowNames: new Map() },
  typing: undefined,
};

describe("keys", () => {
  it.each([
    ["b", { by: "agent" }],
    ["bbbb", { by: "user" }],
    ["s", { sort: "requests" }],
    ["t", { span: "total" }],
    ["tt", { span: "window" }],
    ["/x\r", { filter: "oldx" }],
    ["/\u007F\u007Fq\r", { filter: "oq" }],
    ["/é\u0001語", { filter: "oldé語" }],
    ["/abc\u001B", { filter: "old" }],
    ["x\u001B[A\u001B[1;5C\u001BOPb", { by: "agent", filter: "old" }],
    ["/\u001B[Ay", { filter: "oldy" }],
  ])("%j", (sent, expected) => expect(press(start, sent)?.view).toMatchObject(expected));

  it.each(["q", "\u001B", "\u0003", "/abc\u0003", "bq"])("%j ends it", (sent) =>
    expect(press(start, sent)).toBeUndefined(),
  );
});

describe("the footer", () => {
  it("says what keys do, and what is being typed", () => {
    expect(footer(start)).toBe(
      "q quit   / filter: old   b by user   s sort by load   t last minutes",
    );
    expect(footer(press(start, "/x")!)).toBe("filter: oldx_   Enter keep   Esc undo");
  });
});
