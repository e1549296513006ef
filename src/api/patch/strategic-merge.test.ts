import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StatusError } from "../meta/errors.ts";
import type { JsonValue } from "../object.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";

const patchPod = (document: JsonValue, patch: JsonValue): JsonValue =>
  applyStrategicMergePatch("core.v1.PodSpec", document, patch);
const containers = (...list: JsonValue[]): JsonValue => ({ containers: list });
const c = (name: string, rest: Record<string, JsonValue> = {}): JsonValue => ({ name, ...rest });

describe("a strategic merge patch", () => {
  test.each<[string, JsonValue, JsonValue, JsonValue]>([
    [
      "merges maps",
      { nodeSelector: { a: "1", b: "2" } },
      { nodeSelector: { b: null, c: "3" } },
      { nodeSelector: { a: "1", c: "3" } },
    ],
    [
      "merges a list by its key",
      containers(c("a", { image: "1" }), c("b")),
      containers(c("a", { tty: true })),
      containers(c("a", { image: "1", tty: true }), c("b")),
    ],
    [
      "puts patched elements in the patch's order, new ones last",
      containers(c("a"), c("b")),
      containers(c("n"), c("a")),
      containers(c("n"), c("a"), c("b")),
    ],
    [
      "replaces a list without key",
      { tolerations: [{ key: "a" }] },
      { tolerations: [{ key: "b" }] },
      { tolerations: [{ key: "b" }] },
    ],
    [
      "deletes an element",
      containers(c("a"), c("b")),
      containers(c("a", { $patch: "delete" })),
      containers(c("b")),
    ],
    [
      "deletes every duplicate",
      containers(c("a", { tty: true }), c("b"), c("a")),
      containers(c("a", { $patch: "delete" })),
      containers(c("b")),
    ],
    [
      "merges into the first duplicate",
      containers(c("a"), c("a", { tty: true })),
      containers(c("a", { image: "x" })),
      containers(c("a", { image: "x" }), c("a", { tty: true })),
    ],
    [
      "replaces a merging list",
      containers(c("a"), c("b")),
      containers({ $patch: "replace" }, c("x")),
      containers(c("x")),
    ],
    [
      "replaces a map",
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: "replace", fsGroup: 2 } },
      { securityContext: { fsGroup: 2 } },
    ],
    [
      "empties a map",
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: "delete" } },
      { securityContext: {} },
    ],
    [
      "keeps only retained keys",
      { volumes: [{ name: "v", emptyDir: {} }] },
      { volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }] },
      { volumes: [{ name: "v", hostPath: { path: "/" } }] },
    ],
    [
      "orders by $setElementOrder",
      containers(c("a"), c("b"), c("s")),
      { "$setElementOrder/containers": [c("b"), c("a")] },
      containers(c("b"), c("a"), c("s")),
    ],
    [
      "interleaves what only the server has",
      containers(c("a"), c("s"), c("b")),
      {
        "$setElementOrder/containers": [c("a"), c("n"), c("b")],
        containers: [c("n", { image: "i" })],
      },
      containers(c("a"), c("n", { image: "i" }), c("s"), c("b")),
    ],
    [
      "drops nulls and directives of what it adds",
      {},
      {
        securityContext: { fsGroup: null, runAsUser: 1 },
        containers: [c("a", { $patch: "delete" }), c("b", { env: null })],
      },
      { securityContext: { runAsUser: 1 }, containers: [c("b")] },
    ],
    ["ignores nulls for what is absent", {}, { nodeName: null }, {}],
    [
      "ignores a deletion from an absent list",
      {},
      { "$deleteFromPrimitiveList/containers": ["x"] },
      {},
    ],
    [
      "merges elements in depth",
      containers(c("a", { env: [{ name: "X", value: "1" }] })),
      containers(c("a", { env: [{ name: "Y", value: "2" }] })),
      containers(
        c("a", {
          env: [
            { name: "Y", value: "2" },
            { name: "X", value: "1" },
          ],
        }),
      ),
    ],
  ])("%s", (_, document, patch, expected) => {
    const before = structuredClone([document, patch]);
    expect(patchPod(document, patch)).toEqual(expected);
    expect([document, patch]).toEqual(before);
  });

  test("unites lists of primitives and deletes from them", () => {
    const meta = (document: JsonValue, patch: JsonValue): JsonValue =>
      applyStrategicMergePatch("meta.v1.ObjectMeta", document, patch);
    expect(meta({ finalizers: ["a", "b"] }, { finalizers: ["c", "a"] })).toEqual({
      finalizers: ["c", "a", "b"],
    });
    expect(
      meta(
        { finalizers: ["a", "b", "c"] },
        {
          "$deleteFromPrimitiveList/finalizers": ["b"],
          "$setElementOrder/finalizers": ["c", "a"],
        },
      ),
    ).toEqual({ finalizers: ["c", "a"] });
  });

  test("merges numbers as keys, also through the kind's metadata", () => {
    const service = {
      spec: { ports: [{ port: 80, name: "a" }] },
      metadata: { labels: { x: "y" } },
    };
    const patch = {
      spec: { ports: [{ port: 80, nodePort: 30000 }] },
      metadata: { labels: { z: "1" } },
    };
    expect(applyStrategicMergePatch("core.v1.Service", service, patch)).toEqual({
      spec: { ports: [{ port: 80, name: "a", nodePort: 30000 }] },
      metadata: { labels: { x: "y", z: "1" } },
    });
  });

  test.each<[string, JsonValue, JsonValue, number, string]>([
    [
      "a missing merge key",
      containers(c("a")),
      containers({ image: "x" }),
      500,
      "map: map[image:x] does not contain declared merge key: name",
    ],
    [
      "an unknown directive",
      containers(c("a")),
      containers(c("a", { $patch: "frob" })),
      500,
      "unknown patch type: frob in map: map[$patch:frob name:a]",
    ],
    [
      "lists of lists",
      containers(c("a")),
      containers(["a"]),
      422,
      "lists of lists are not supported",
    ],
    [
      "a mixed list",
      containers(c("a")),
      containers("a"),
      500,
      "list element types are not identical: [[map[name:a]] [a]]",
    ],
    [
      "retainKeys that are no list",
      { volumes: [{ name: "v" }] },
      { volumes: [{ name: "v", $retainKeys: 1 }] },
      400,
      "invalid patch format of retainKeys",
    ],
    [
      "retainKeys that miss a field",
      { volumes: [{ name: "v" }] },
      { volumes: [{ name: "v", $retainKeys: ["name"], emptyDir: {} }] },
      422,
      "patch content doesn't match retainKeys list",
    ],
    [
      "an order that is no list",
      containers(c("a")),
      { "$setElementOrder/containers": {} },
      400,
      "invalid patch format of setElementOrder list",
    ],
    [
      "a badly named deletion",
      { finalizers: [] },
      { $deleteFromPrimitiveList: ["a"] },
      400,
      "invalid patch format of primitive list",
    ],
    [
      "an order without the patched element",
      containers(c("a")),
      { "$setElementOrder/containers": [c("a")], containers: [c("b")] },
      500,
      "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    ],
    ["a patch that is no object", {}, [], 400, "invalid JSON document"],
  ])("refuses %s", (_, document, patch, code, message) => {
    let found: StatusError | undefined;
    try {
      patchPod(document, patch);
    } catch (error) {
      found = error as StatusError;
    }
    expect([found?.code, found?.status.message]).toEqual([code, message]);
  });

  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"));

  test("with every element and its order gives exactly that list", () => {
    fc.assert(
      fc.property(names, names, (from, to) => {
        const gone = from.filter((name) => !to.includes(name));
        const patch = {
          "$setElementOrder/containers": to.map((name) => c(name)),
          containers: [
            ...to.map((name) => c(name, { image: name })),
            ...gone.map((name) => c(name, { $patch: "delete" })),
          ],
        };
        const document = containers(...from.map((name) => c(name)));
        expect(patchPod(document, patch)).toEqual(
          containers(...to.map((name) => c(name, { image: name }))),
        );
      }),
    );
  });

  test("applied twice changes nothing more", () => {
    fc.assert(
      fc.property(names, names, (from, to) => {
        const patch = containers(...to.map((name) => c(name, { tty: true })));
        const once = patchPod(containers(...from.map((name) => c(name))), patch);
        expect(patchPod(once, patch)).toEqual(once);
      }),
    );
  });

  test("merges the longest lists, also when they share no key, and deletes from them", () => {
    // Taking the product of both lengths would take minutes.
    const list = (prefix: string, count = 60_000): JsonValue[] =>
      Array.from({ length: count }, (_, index) => c(`${prefix}${index}`));
    const added = patchPod(containers(...list("a")), containers(...list("b")));
    expect(added).toEqual(containers(...list("b"), ...list("a")));
    const deletions = list("a", 59_999).map((item) => Object.assign({ $patch: "delete" }, item));
    const left = patchPod(containers(...list("a")), containers(...deletions));
    expect(left).toEqual(containers(c("a59999")));
  });

  test("never touches a prototype", () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true}}');
    patchPod({}, patch);
    patchPod(
      JSON.parse('{"__proto__":{}}'),
      JSON.parse('{"securityContext":{"__proto__":{"polluted":true}}}'),
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
