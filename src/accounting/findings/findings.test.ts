import { describe, expect, it } from "vitest";
import { row } from "../accounting.testbed.ts";
import type { LedgerRow } from "../ledger/ledger-row.ts";
import { findAll } from "./all.ts";

const windowSeconds = 300;
const ids = (...rows: LedgerRow[]): string[] =>
  findAll(rows, windowSeconds)
    .map(({ id }) => id)
    .sort();

/** Eighty nodes, each its own address. */
const fleet = (each: Parameters<typeof row>[0]): LedgerRow[] =>
  Array.from({ length: 80 }, (_, node) => row({ ...each, client: { source: `10.0.0.${node}` } }));

const boots = (nodes: number): LedgerRow[] =>
  Array.from({ length: nodes }, (_, node) =>
    row({
      client: { user: `system:node:n${node}` },
      shape: { fieldSelector: "metadata.name=?", resource: "secrets" },
      counts: { requests: 90, objectsReturned: 90 },
    }),
  );

describe("findings", () => {
  const byNode = { fieldSelector: "spec.nodeName=?" };
  const patch = { verb: "patch", resource: "configmaps" };
  const watch = { verb: "watch" };
  it.each<[string, LedgerRow[], string[]]>([
    [
      "a whole list once",
      [row({ counts: { requests: 1, objectsReturned: 7_130 } })],
      ["unpaged-full-list"],
    ],
    [
      "the same in pages",
      [row({ shape: { limit: "500" }, counts: { requests: 3, objectsReturned: 1_500 } })],
      [],
    ],
    [
      "a few huge objects in a page",
      [
        row({
          shape: { limit: "500", resourceVersion: "any" },
          counts: { requests: 2, objectsReturned: 800, bytesOut: 8e8 },
        }),
      ],
      ["large-list"],
    ],
    ["a small whole list", [row({ counts: { requests: 3, objectsReturned: 300 } })], []],
    [
      "lists that must be newest, over and over",
      [
        row({
          shape: { ...byNode, resourceVersion: "quorum" },
          counts: { requests: 25, objectsReturned: 2_500 },
        }),
      ],
      ["quorum-list"],
    ],
    [
      "the same of tiny lists, from memory",
      [
        row({
          shape: { ...byNode, resourceVersion: "quorum" },
          counts: { requests: 25, objectsReturned: 25 },
        }),
      ],
      [],
    ],
    [
      "the same from the store",
      [
        row({
          shape: { ...byNode, resourceVersion: "quorum" },
          counts: { requests: 25, objectsReturned: 25, storeReads: 25 },
        }),
      ],
      ["quorum-list"],
    ],
    [
      "much looked at for little",
      [
        row({
          shape: { labelSelector: "app=?" },
          counts: { requests: 4, objectsScanned: 28_000, objectsReturned: 80 },
        }),
      ],
      ["unindexed-selector"],
    ],
    [
      "an indexed selector",
      [row({ shape: byNode, counts: { requests: 4, objectsScanned: 440, objectsReturned: 440 } })],
      [],
    ],
    ["polling", [row({ counts: { requests: 60, objectsReturned: 6_000 } })], ["relist-loop"]],
    ["polling once a minute", [row({ counts: { requests: 5, objectsReturned: 500 } })], []],
    [
      "watches that hardly live",
      [
        row({
          shape: watch,
          counts: { requests: 40, watchesOpened: 40, watchesClosed: 39, watchMs: 39_000 },
        }),
      ],
      ["watch-churn"],
    ],
    [
      "watches that end as they should",
      [
        row({
          shape: watch,
          counts: { requests: 40, watchesOpened: 40, watchesClosed: 39, watchMs: 39 * 400_000 },
        }),
      ],
      [],
    ],
    [
      "many watches that stay",
      [row({ shape: watch, watchesOpen: 60, counts: { requests: 60, watchesOpened: 60 } })],
      [],
    ],
    [
      "writing without change",
      [row({ shape: patch, counts: { requests: 100, unchangedWrites: 90, repeatedWrites: 99 } })],
      ["hot-writer"],
    ],
    [
      "writing with change",
      [row({ shape: patch, counts: { requests: 100, unchangedWrites: 10, storeWrites: 90 } })],
      [],
    ],
    [
      "writing the same objects with change, far more often than a lease",
      [row({ shape: patch, counts: { requests: 400, repeatedWrites: 390, storeWrites: 400 } })],
      ["hot-writer"],
    ],
    [
      "leases",
      fleet({ shape: { verb: "update" }, counts: { requests: 150, repeatedWrites: 149 } }),
      [],
    ],
    [
      "many objects deleted one by one",
      [row({ shape: { verb: "delete" }, counts: { requests: 600, storeWrites: 600 } })],
      ["mass-delete"],
    ],
    [
      "many deletes that found nothing",
      [row({ shape: { verb: "delete" }, counts: { requests: 600, storeWrites: 2 } })],
      [],
    ],
    [
      "a collection deleted by one request",
      [row({ shape: { verb: "deletecollection" }, counts: { requests: 1, storeWrites: 600 } })],
      ["mass-delete"],
    ],
    [
      "the same by the garbage collector",
      [
        row({
          client: { user: "system:serviceaccount:kube-system:generic-garbage-collector" },
          shape: { verb: "delete" },
          counts: { requests: 600, storeWrites: 600 },
        }),
      ],
      [],
    ],
    ["nodes that boot together, each with ninety objects", boots(40), ["list-per-object"]],
    ["a few nodes that boot", boots(5), []],
    [
      "back too early",
      [row({ peakPerSecond: 10, counts: { requests: 300, rejections: 100, impatient: 90 } })],
      ["ignores-retry-after"],
    ],
    ["back in time", [row({ counts: { requests: 300, rejections: 100, impatient: 3 } })], []],
    [
      "a crowd refused in its first second",
      [
        row({
          shape: { limit: "1" },
          peakPerSecond: 200,
          counts: { requests: 200, rejections: 100, impatient: 99 },
        }),
      ],
      ["identical-agents"],
    ],
    [
      "a fleet at once",
      fleet({ shape: byNode, peakPerSecond: 2, counts: { requests: 2, objectsReturned: 20 } }),
      ["identical-agents"],
    ],
    [
      "a fleet spread over time",
      fleet({ shape: byNode, peakPerSecond: 0, counts: { requests: 2, objectsReturned: 20 } }),
      [],
    ],
  ])("%s", (_, rows, expected) => expect(ids(...rows)).toEqual(expected));

  it("of nodes together name them all, and bound them by their group", () => {
    const [finding] = findAll(boots(40), windowSeconds);
    expect(finding).toMatchObject({
      user: "system:node:*",
      howMuch: "3,600 LISTs of one object each, by 40 clients",
      guard: {
        objects: [
          { metadata: { name: "bound-list-secrets-nodes" } },
          {
            spec: {
              matchingPrecedence: 490,
              rules: [{ subjects: [{ kind: "Group", group: { name: "system:nodes" } }] }],
            },
          },
        ],
      },
    });
  });

  it("say who, what, how much and what to change, the heaviest first", () => {
    const list = {
      requests: 1,
      objectsScanned: 7_130,
      objectsReturned: 7_130,
      bytesOut: 13_313_287,
    };
    const [first, second] = findAll(
      [
        row({ counts: { ...list, objectsScanned: 1_000 } }),
        row({ client: { user: "vector" }, counts: list }),
      ],
      windowSeconds,
    );
    expect([first?.user, second?.user]).toEqual(["vector", "ann"]);
    expect(first).toMatchObject({
      id: "unpaged-full-list",
      userAgent: "agent/1",
      sources: 1,
      what: "LIST pods, everywhere",
      howMuch: "1 times 7,130 objects, 13 MB in all",
    });
    expect(first?.change).toContain("limit=500");
  });
});
