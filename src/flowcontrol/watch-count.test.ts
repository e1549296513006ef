import { expect, test } from "vitest";
import { someDigest } from "./queue-set.testbed.ts";
import { WatchCount } from "./watch-count.ts";

const write = { ...someDigest, verb: "update", namespace: "ns", name: "pod-1" };
const watch = { ...someDigest, verb: "watch" };

test("a write concerns watches of all, of its namespace and of its object", () => {
  const count = new WatchCount();
  count.register(watch, "");
  count.register({ ...watch, namespace: "ns" }, "");
  count.register({ ...watch, namespace: "ns", name: "pod-1" }, "metadata.name=pod-1");
  count.register({ ...watch, namespace: "other" }, "");
  count.register({ ...watch, namespace: "ns", name: "pod-2" }, "metadata.name=pod-2");
  count.register({ ...watch, resource: "secrets" }, "");
  expect(count.interested(write)).toBe(3);
});

test.each([
  ["spec.nodeName=n1", 0],
  ["spec.nodeName=n1,status.phase=Running", 0],
  ["spec.nodeName=", 1],
  ["spec.nodeName!=n1", 1],
  ["status.phase=Running", 1],
])("a watch of pods by %s counts %i", (fieldSelector, counted) => {
  const count = new WatchCount();
  count.register(watch, fieldSelector);
  expect(count.interested(write)).toBe(counted);
});

test("a watch that ended no longer counts, and ends once", () => {
  const count = new WatchCount();
  count.register(watch, "");
  const forget = count.register(watch, "");
  forget();
  forget();
  expect(count.interested(write)).toBe(1);
});
