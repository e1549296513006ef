import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pod } from "../api/types/core-v1.ts";
import { type Served, keyOf } from "../client/served-object.ts";
import {
  type Index,
  byController,
  byLabel,
  byNamespace,
  byNodeName,
  byOwner,
} from "./index-functions.ts";
import { Indexer } from "./indexer.ts";

interface Shape {
  readonly name: string;
  readonly namespace: string;
  readonly node: string | undefined;
  readonly owners: readonly string[];
  readonly app: string | undefined;
}

function pod({ name, namespace, node, owners, app }: Shape): Served<Pod> {
  return {
    metadata: {
      name,
      namespace,
      uid: `${namespace}-${name}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(app === undefined ? {} : { labels: { app } }),
      ownerReferences: owners.map((uid, index) => ({
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: uid,
        uid,
        controller: index === 0,
      })),
    },
    spec: node === undefined ? {} : { nodeName: node },
  };
}

const indexes: readonly Index<Pod>[] = [
  byNamespace,
  byController,
  byOwner,
  byNodeName,
  byLabel("app"),
];

const shape = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  namespace: fc.constantFrom("x", "y"),
  node: fc.constantFrom("n1", "n2", "", undefined),
  owners: fc.uniqueArray(fc.constantFrom("o1", "o2")),
  app: fc.constantFrom("web", "db", undefined),
});

describe("an indexer", () => {
  it("finds what a scan finds, after any history", () => {
    const step = fc.tuple(fc.boolean(), shape);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const indexer = new Indexer<Pod>(indexes.slice(0, 3), true);
        const naive = new Map<string, Served<Pod>>();
        steps.forEach(([put, one], index) => {
          // Late indexes see what is there already.
          if (index === 10) for (const late of indexes) indexer.addIndex(late);
          const object = pod(one);
          if (put) {
            indexer.put(object);
            naive.set(keyOf(object), object);
          } else {
            indexer.remove(keyOf(object));
            naive.delete(keyOf(object));
          }
        });
        for (const late of indexes) indexer.addIndex(late);
        const sorted = (objects: readonly Pod[]): string[] => objects.map(keyOf).toSorted();
        expect(sorted(indexer.list())).toEqual(sorted([...naive.values()]));
        for (const index of indexes)
          for (const value of ["x", "y", "n1", "n2", "o1", "o2", "web", "db", ""]) {
            const found = sorted(indexer.by(index, value));
            expect(found).toEqual(
              sorted([...naive.values()].filter((one) => index.valuesOf(one).includes(value))),
            );
            expect(indexer.count(index, value)).toBe(found.length);
          }
      }),
    );
  });

  it("selects by namespace and labels", () => {
    const indexer = new Indexer<Pod>([byNamespace], false);
    const base = { node: undefined, owners: [] };
    indexer.put(pod({ ...base, name: "a", namespace: "x", app: "web" }));
    indexer.put(pod({ ...base, name: "b", namespace: "y", app: "web" }));
    const web = [{ key: "app", operator: "=" as const, values: ["web"] }];
    expect(indexer.select("x", web).map(keyOf)).toEqual(["x/a"]);
    expect(indexer.select(undefined, web).map(keyOf)).toEqual(["x/a", "y/b"]);
  });

  it("shares objects that nobody can change", () => {
    const indexer = new Indexer<Pod>([], true);
    indexer.put(pod({ name: "a", namespace: "x", node: "n", owners: [], app: "web" }));
    const shared = indexer.find("x/a")!;
    expect(() => (shared.metadata.labels!["app"] = "db")).toThrow(TypeError);
  });

  it("knows no index that it was not told of", () => {
    const indexer = new Indexer<Pod>([], true);
    expect(() => indexer.by(byNodeName, "n")).toThrow("index node is not kept");
  });
});
