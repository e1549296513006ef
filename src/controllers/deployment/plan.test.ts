import { describe, expect, it } from "vitest";
import type { Deployment, ReplicaSet } from "../../api/types/apps-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { ago, now, served } from "../pods/some-pod.testbed.ts";
import { draftSet } from "./family.ts";
import { planDeployment } from "./plan.ts";

const revision = "deployment.kubernetes.io/revision";
const desired = "deployment.kubernetes.io/desired-replicas";
const max = "deployment.kubernetes.io/max-replicas";

interface Traits {
  readonly image?: string;
  readonly replicas?: number;
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

function deployment({
  image = "web:1",
  replicas = 3,
  spec,
  status,
  metadata,
}: Traits = {}): Served<Deployment> {
  return {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: served("web", metadata),
    spec: {
      replicas,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      selector: { matchLabels: { app: "web" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image, resources: {} }] },
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** As it was made by the Deployment of that image. */
function set(
  image: string,
  size: number,
  more: { available?: number; number?: number; age?: number } = {},
): Served<ReplicaSet> {
  const draft = draftSet(deployment({ image }));
  const { available = size, number = 1, age = 100 } = more;
  const annotations = { [revision]: String(number), [desired]: "3", [max]: "4" };
  const name = draft.metadata.name ?? "";
  return {
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    metadata: { ...draft.metadata, ...served(name, { annotations }), creationTimestamp: ago(age) },
    spec: { ...draft.spec, replicas: size },
    status: {
      replicas: size,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
    },
  };
}

const plan = (
  of: Served<Deployment>,
  sets: Served<ReplicaSet>[],
  podsLeft = new Map<string, number>(),
) => planDeployment({ deployment: of, sets, podsLeft }, now);
const progressOf = ({ deployment }: ReturnType<typeof plan>) =>
  deployment?.status?.conditions?.find(({ type }) => type === "Progressing");

describe("the first ReplicaSet", () => {
  it("is made whole", () => {
    const made = plan(deployment({ metadata: { annotations: { note: "kept" } } }), []);
    expect(made.create).toMatchObject({
      spec: { replicas: 3, selector: { matchLabels: { app: "web" } } },
      metadata: { annotations: { note: "kept", [revision]: "1", [desired]: "3", [max]: "4" } },
    });
    const hash = made.create?.metadata.labels?.["pod-template-hash"];
    expect(made.create?.metadata.name).toBe(`web-${hash}`);
    expect(made.create?.spec?.template?.metadata.labels?.["pod-template-hash"]).toBe(hash);
    expect(made.deployment?.metadata.annotations?.[revision]).toBe("1");
    expect(progressOf(made)).toMatchObject({ status: "True", reason: "NewReplicaSetCreated" });
    expect(made.requeueAfterMs).toBe(601_000);
  });

  it.each([
    ["a Deployment that is paused", deployment({ spec: { paused: true } })],
    ["one that leaves", deployment({ metadata: { deletionTimestamp: ago(0) } })],
  ])("is not made for %s", (_, of) => {
    expect(plan(of, []).create).toBeUndefined();
  });
});

describe("an update", () => {
  it("makes the new one as large as the surge allows", () => {
    const old = set("web:1", 3);
    const made = plan(deployment({ image: "web:2" }), [old]);
    expect(made.create?.spec?.replicas).toBe(1);
    expect(made.create?.metadata.annotations?.[revision]).toBe("2");
    expect(made.update).toEqual([]);
  });

  it("shrinks the old when the new is available", () => {
    const sets = [set("web:1", 3), set("web:2", 1, { number: 2, age: 10 })];
    const { update } = plan(deployment({ image: "web:2" }), sets);
    expect(update.map(({ set, from, to }) => [set.metadata.name, from, to])).toEqual([
      [sets[0]?.metadata.name, 3, 2],
    ]);
  });

  it("waits while the new is not available", () => {
    const sets = [set("web:1", 3), set("web:2", 1, { number: 2, available: 0 })];
    expect(plan(deployment({ image: "web:2" }), sets).update).toEqual([]);
  });

  it("numbers a ReplicaSet that comes back anew, and remembers the number it had", () => {
    const sets = [set("web:1", 0, { number: 1 }), set("web:2", 3, { number: 2 })];
    const { update, create } = plan(deployment({ image: "web:1" }), sets);
    expect(create).toBeUndefined();
    expect(update).toHaveLength(1);
    expect(update[0]?.set.metadata.annotations).toMatchObject({
      [revision]: "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect(update[0]).toMatchObject({ from: 0, to: 1 });
  });
});

describe("Recreate", () => {
  const recreate = { strategy: { type: "Recreate" } };
  const of = deployment({ image: "web:2", spec: recreate });

  it("takes away the old first", () => {
    const made = plan(of, [set("web:1", 3)]);
    expect(made.create).toBeUndefined();
    expect(made.update.map(({ from, to }) => [from, to])).toEqual([[3, 0]]);
  });

  it("waits for the last pod", () => {
    const old = set("web:1", 0);
    expect(plan(of, [old], new Map([[old.metadata.uid, 1]])).create).toBeUndefined();
    expect(plan(of, [old], new Map([[old.metadata.uid, 0]])).create?.spec?.replicas).toBe(3);
  });
});

describe("progress", () => {
  const complete = {
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    observedGeneration: 1,
  };
  const told = (reason: string, seconds: number, status = "True") => ({
    type: "Progressing",
    status,
    reason,
    lastUpdateTime: ago(seconds),
    lastTransitionTime: ago(seconds),
  });

  it.each([
    ["done", set("web:1", 3), {}, undefined, "NewReplicaSetAvailable"],
    ["found", set("web:1", 3, { available: 2 }), { ...complete }, undefined, "FoundNewReplicaSet"],
    [
      "under way",
      set("web:1", 3, { available: 2 }),
      { replicas: 3, updatedReplicas: 3, availableReplicas: 1 },
      told("NewReplicaSetCreated", 9),
      "ReplicaSetUpdated",
    ],
    [
      "too late",
      set("web:1", 3, { available: 2 }),
      { ...complete },
      told("ReplicaSetUpdated", 601),
      "ProgressDeadlineExceeded",
    ],
    [
      "not too late",
      set("web:1", 3, { available: 2 }),
      { ...complete },
      told("ReplicaSetUpdated", 600),
      "ReplicaSetUpdated",
    ],
    [
      "never too late once it was done",
      set("web:1", 3, { available: 2 }),
      { ...complete },
      told("NewReplicaSetAvailable", 9_999),
      "NewReplicaSetAvailable",
    ],
  ])("is %s", (_, only, status, condition, reason) => {
    const conditions = condition === undefined ? [] : [condition];
    const made = plan(deployment({ status: { ...status, conditions } }), [only]);
    expect(progressOf(made)?.reason).toBe(reason);
  });

  it("is not told without a deadline", () => {
    const made = plan(deployment({ spec: { progressDeadlineSeconds: 2 ** 31 - 1 } }), []);
    expect(progressOf(made)).toBeUndefined();
    expect(made.requeueAfterMs).toBeUndefined();
  });

  it("is not told twice", () => {
    const first = plan(deployment(), [set("web:1", 3)]).deployment;
    const { metadata, status } = first ?? {};
    const again = plan({ ...deployment(), metadata: served("web", metadata), status: status! }, [
      set("web:1", 3),
    ]);
    expect(again.deployment).toBeUndefined();
    expect(again.update).toEqual([]);
  });
});

describe("the history", () => {
  const sets = [
    set("web:1", 0, { number: 1 }),
    set("web:2", 0, { number: 2 }),
    set("web:3", 0, { number: 3 }),
    set("web:4", 3, { number: 4 }),
  ];
  const status = { replicas: 3, updatedReplicas: 3, availableReplicas: 3, observedGeneration: 1 };

  it.each([
    [10, []],
    [2, [0]],
    [0, [0, 1, 2]],
  ])("of %i keeps all but %j", (revisionHistoryLimit, gone) => {
    const of = deployment({ image: "web:4", spec: { revisionHistoryLimit }, status });
    expect(plan(of, sets).delete).toEqual(gone.map((index) => sets[index]));
  });

  it("is left alone while the rollout is under way", () => {
    const of = deployment({ image: "web:5", spec: { revisionHistoryLimit: 0 }, status });
    expect(plan(of, sets).delete).toEqual([]);
  });
});
