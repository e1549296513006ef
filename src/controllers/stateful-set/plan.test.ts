import { describe, expect, it } from "vitest";
import type { ControllerRevision } from "../../api/types/apps-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { draftRevision } from "../history/revision.ts";
import { type PodTraits, ago, now, served, somePod } from "../pods/some-pod.testbed.ts";
import { podRevision } from "./identity.ts";
import { planStatefulSet } from "./plan.ts";

function set(
  replicas: number,
  spec: object = {},
  more: { status?: object; metadata?: object } = {},
) {
  return {
    kind: "StatefulSet",
    apiVersion: "apps/v1",
    metadata: served("db", more.metadata),
    spec: {
      replicas,
      serviceName: "db",
      template: { metadata: { labels: { app: "db" } }, spec: { containers: [] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    ...(more.status === undefined
      ? {}
      : { status: { replicas: 0, availableReplicas: 0, ...more.status } }),
  };
}

function revision(image: string, number: number): Served<ControllerRevision> {
  const template = { metadata: {}, spec: { containers: [{ name: "db", image }] } };
  const of = { owner: set(1), template, hashLabel: "h", collisionCount: 0 };
  const draft = draftRevision(of, number);
  return { ...draft, metadata: { ...draft.metadata, ...served(draft.metadata.name ?? "") } };
}

const [one, two] = [revision("db:1", 1), revision("db:2", 2)];
const well = (of: Served<ControllerRevision> = two): PodTraits => ({
  readyFor: 60,
  labels: { "controller-revision-hash": of.metadata.name },
});

/** `pods` by ordinal. */
function plan(of: ReturnType<typeof set>, pods: Record<number, PodTraits>) {
  const all = Object.entries(pods).map(([ordinal, traits]) => somePod(`db-${ordinal}`, traits));
  const made = planStatefulSet(
    { set: of, pods: all, updateRevision: two, revisions: [one, two], collisionCount: 0 },
    now,
  );
  return {
    create: made.create.map(({ metadata }) => metadata.name),
    revisions: made.create.map(podRevision),
    delete: made.delete.map(({ pod, why }) => `${pod.metadata.name} ${why}`),
    status: made.status,
    requeueAfterMs: made.requeueAfterMs,
  };
}

const parallel = { podManagementPolicy: "Parallel" };
const old = well(one);
const ill = (traits: PodTraits): PodTraits => ({ labels: traits.labels ?? {} });

describe("pods that should be there", () => {
  it.each<[string, ReturnType<typeof set>, Record<number, PodTraits>, string[]]>([
    ["come one by one", set(3), {}, ["db-0"]],
    ["come after those before them are ready", set(3), { 0: well() }, ["db-1"]],
    ["wait for those before them", set(3), { 0: ill(well()) }, []],
    [
      "wait for those before them to be available",
      set(3, { minReadySeconds: 90 }),
      { 0: well() },
      [],
    ],
    ["wait for one that leaves", set(3), { 0: { ...well(), terminating: true } }, []],
    ["fill gaps", set(3), { 0: well(), 2: well() }, ["db-1"]],
    ["come at once when parallel", set(3, parallel), { 1: ill(well()) }, ["db-0", "db-2"]],
    [
      "begin where they are told",
      set(2, { ...parallel, ordinals: { start: 3 } }),
      {},
      ["db-3", "db-4"],
    ],
    [
      "do not come when the set leaves",
      set(1, {}, { metadata: { deletionTimestamp: ago(0) } }),
      {},
      [],
    ],
  ])("%s", (_, of, pods, create) => {
    expect(plan(of, pods).create).toEqual(create);
  });

  it("keep the current revision below the partition", () => {
    const status = { currentRevision: one.metadata.name };
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
    const made = plan(set(2, { ...parallel, updateStrategy }, { status }), {});
    expect(made.revisions).toEqual([one.metadata.name, two.metadata.name]);
  });
});

describe("pods that should go", () => {
  it.each<[string, ReturnType<typeof set>, Record<number, PodTraits>, string[]]>([
    ["the highest", set(1), { 0: well(), 1: well(), 2: well() }, ["db-2 ScaledDown"]],
    [
      "none while one leaves",
      set(1),
      { 0: well(), 1: well(), 2: { ...well(), terminating: true } },
      [],
    ],
    ["none while one that stays is ill", set(1), { 0: ill(well()), 1: well() }, []],
    ["the ill one itself", set(1), { 0: well(), 1: ill(well()) }, ["db-1 ScaledDown"]],
    [
      "all when parallel",
      set(1, parallel),
      { 0: well(), 1: well(), 2: ill(well()) },
      ["db-2 ScaledDown", "db-1 ScaledDown"],
    ],
    ["the failed", set(2), { 0: { ...well(), phase: "Failed" } }, ["db-0 Failed"]],
    ["the succeeded", set(1), { 0: { ...well(), phase: "Succeeded" } }, ["db-0 Succeeded"]],
    ["an outdated one, the highest first", set(2), { 0: old, 1: old }, ["db-1 Outdated"]],
    ["no outdated one while an updated one is ill", set(2), { 0: old, 1: ill(well()) }, []],
    [
      "an outdated one that is ill when parallel",
      set(2, parallel),
      { 0: old, 1: ill(old) },
      ["db-1 Outdated"],
    ],
    [
      "two outdated ones if so many may be missing",
      set(3, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } } }),
      { 0: old, 1: old, 2: old },
      ["db-2 Outdated", "db-1 Outdated"],
    ],
    [
      "none below the partition",
      set(2, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } }),
      { 0: old, 1: well() },
      [],
    ],
    ["none on delete", set(2, { updateStrategy: { type: "OnDelete" } }), { 0: old, 1: old }, []],
  ])("%s", (_, of, pods, gone) => {
    expect(plan(of, pods).delete).toEqual(gone);
  });
});

describe("the status", () => {
  it("counts by revision", () => {
    const status = { currentRevision: one.metadata.name };
    const made = plan(set(3, { minReadySeconds: 70 }, { status }), {
      0: old,
      1: old,
      2: ill(well()),
    });
    expect(made.status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 0,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: one.metadata.name,
      updateRevision: two.metadata.name,
      collisionCount: 0,
    });
    expect(made.requeueAfterMs).toBe(10_001);
  });

  it("makes the update revision the current one when all is done", () => {
    const status = { currentRevision: one.metadata.name };
    const made = plan(set(2, {}, { status }), { 0: well(), 1: well() });
    expect(made.status).toMatchObject({ currentRevision: two.metadata.name, currentReplicas: 2 });
    expect(
      plan(set(2, {}, { status: made.status! }), { 0: well(), 1: well() }).status,
    ).toBeUndefined();
  });
});
