import { describe, expect, test } from "vitest";
import { type ListOptions, noListOptions } from "../api/meta/list-options.ts";
import { oneSeat } from "./arrival.ts";
import { flowcontrolProfileOf, wavetankFlowControl } from "./profile.ts";
import { someDigest } from "./queue-set.testbed.ts";
import type { RequestDigest } from "./request-digest.ts";
import { type ResourceSize, type WorkFacts, estimateWork } from "./work-estimate.ts";

/** The pods of the Palark outage, and those of one of its 80 nodes. */
const pods: ResourceSize = { objects: 7_130, bytes: 13_313_287 };
const ofOneNode: ResourceSize = { objects: 89, bytes: 89 * 1_867 };

const factsAt = (minor: number, change: Partial<WorkFacts> = {}): WorkFacts => ({
  profile: flowcontrolProfileOf(minor),
  levelSeatsMax: 0,
  size: () => pods,
  matchedSize: () => ofOneNode,
  watchers: () => 0,
  ...change,
});

const byNode: ListOptions = { ...noListOptions, fieldSelector: "spec.nodeName=node-1" };

const seatsOf = (options: ListOptions | undefined, facts: WorkFacts): number =>
  estimateWork(someDigest, () => options, facts).initialSeats;

describe("a LIST by node over 7,130 pods", () => {
  test.each([
    [20, 1],
    [22, 1],
    [23, 10],
    [25, 10],
    [30, 10],
    [31, 10],
    [33, 10],
    [34, 10],
    [36, 10],
  ])("at 1.%i takes %i seats", (minor, seats) => {
    expect(seatsOf(byNode, factsAt(minor))).toBe(seats);
  });

  test.each([
    [27, 10],
    [28, 2],
    [36, 2],
  ])("at 1.%i in a level of 12 seats and hands of 4 it takes %i", (minor, seats) => {
    expect(seatsOf(byNode, factsAt(minor, { levelSeatsMax: 2 }))).toBe(seats);
  });

  test("takes what the index finds, two seats, at home", () => {
    expect(seatsOf(byNode, { ...factsAt(36), profile: wavetankFlowControl })).toBe(2);
  });
});

describe("seats of a LIST at 1.36", () => {
  test.each<[string, Partial<ListOptions>, number]>([
    ["of everything from the cache: streamed", {}, 10],
    ["at any revision", { resourceVersion: "0" }, 10],
    ["of a page", { limit: 100 }, 2],
    ["of a page at an old revision: from the store", { limit: 500, resourceVersion: "7" }, 10],
    [
      "at exactly a revision: from the store",
      { resourceVersion: "7", resourceVersionMatch: "Exact" },
      100,
    ],
    [
      "of half of what the store has to look through",
      {
        resourceVersion: "7",
        resourceVersionMatch: "Exact",
        labelSelector: "a=b",
        limit: 10,
      },
      67,
    ],
    ["continued: from the store", { continue: "token", limit: 500 }, 10],
  ])("%s: %j", (_, options, seats) => {
    expect(seatsOf({ ...noListOptions, ...options }, factsAt(36))).toBe(seats);
  });
});

test.each<[string, Partial<RequestDigest>, ListOptions | undefined, number]>([
  ["a LIST of one name", { name: "pod-1" }, noListOptions, 1],
  ["a LIST that makes no sense", {}, undefined, 100],
  ["a GET", { verb: "get", name: "pod-1" }, noListOptions, 1],
  ["a path", { isResource: false, verb: "get" }, noListOptions, 1],
  ["a WATCH with initial state", { verb: "watch" }, noListOptions, 10],
  ["a WATCH that goes on", { verb: "watch" }, { ...noListOptions, resourceVersion: "7" }, 1],
  [
    "a WATCH that asks for the state",
    { verb: "watch" },
    { ...noListOptions, resourceVersion: "7", sendInitialEvents: true },
    10,
  ],
])("%s", (_, digest, options, seats) => {
  const work = estimateWork({ ...someDigest, ...digest }, () => options, factsAt(36));
  expect(work.initialSeats).toBe(seats);
});

test("a LIST of what nobody stores here takes one seat", () => {
  expect(seatsOf(noListOptions, factsAt(36, { size: () => undefined }))).toBe(1);
});

test("until 1.33 a LIST from the store reads objects and pages twice", () => {
  const page = { ...noListOptions, limit: 200 };
  expect(seatsOf(page, factsAt(30))).toBe(4);
  expect(
    seatsOf(
      { ...page, labelSelector: "a=b" },
      factsAt(30, { size: () => ({ objects: 300, bytes: 1 }) }),
    ),
  ).toBe(5);
});

test.each<[number, number, object]>([
  [36, 9, oneSeat],
  [36, 30, { initialSeats: 1, finalSeats: 3, additionalMs: 5 }],
  // 500 seats' worth of events on ten seats last fifty times as long.
  [36, 5_000, { initialSeats: 1, finalSeats: 10, additionalMs: 250 }],
  [22, 5_000, oneSeat],
])("at 1.%i a write that %i watches see", (minor, watchers, work) => {
  const write = { ...someDigest, verb: "update", name: "pod-1" };
  const facts = factsAt(minor, { watchers: () => watchers });
  expect(estimateWork(write, () => noListOptions, facts)).toEqual(work);
});

test("a token for a ServiceAccount makes no event", () => {
  const request = {
    ...someDigest,
    verb: "create",
    resource: "serviceaccounts",
    subresource: "token",
  };
  const facts = factsAt(36, { watchers: () => 5_000 });
  expect(estimateWork(request, () => noListOptions, facts)).toEqual(oneSeat);
});
