import { expect, it } from "vitest";
import { OpenWatches } from "./open-watches.ts";

it("remembers the most that were open at once, of objects and of one node too", () => {
  const watches = new OpenWatches();
  const first = { node: "a", ofObject: true };
  watches.begin(first);
  watches.begin({ node: "a", ofObject: true });
  watches.begin({ node: "b", ofObject: true });
  watches.begin({ node: "b", ofObject: false });
  watches.end(first);
  watches.end({ node: "b", ofObject: false });
  watches.begin({ node: "b", ofObject: true });
  expect(watches).toMatchObject({ open: 3, peak: 4, objects: 3, objectsPeak: 3, nodePeak: 2 });
});
