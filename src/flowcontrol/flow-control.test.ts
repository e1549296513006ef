import { beforeEach, describe, expect, test } from "vitest";
import { flowSchemas, priorityLevels } from "../api/flow-control-objects.ts";
import { noListOptions } from "../api/meta/list-options.ts";
import type {
  FlowSchema,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
} from "../api/types/flowcontrol-v1.ts";
import { type TestHost, createTestHost, settle } from "../host/host.testbed.ts";
import { FlowControl, borrowingPeriodMs } from "./flow-control.ts";
import type { FlowAnswer, FlowPass } from "./flow-pass.ts";
import { dump } from "./dump.ts";
import { type FlowControlProfile, flowcontrolProfileOf, wavetankFlowControl } from "./profile.ts";
import { someDigest } from "./queue-set.testbed.ts";
import type { RequestDigest } from "./request-digest.ts";
import { ResourceSizes } from "./resource-size.ts";

const account = "system:serviceaccount:d8-log-shipper:vector";
const collector: RequestDigest = {
  ...someDigest,
  verb: "get",
  name: "pod-1",
  user: {
    name: account,
    uid: "",
    groups: ["system:serviceaccounts", "system:authenticated"],
    extra: {},
  },
};

const limitSpec: PriorityLevelConfigurationSpec = {
  type: "Limited",
  limited: {
    nominalConcurrencyShares: 5,
    lendablePercent: 0,
    limitResponse: {
      type: "Queue",
      queuing: { queues: 16, handSize: 4, queueLengthLimit: 50 },
    },
  },
};
const limitLevel = (spec = limitSpec): PriorityLevelConfiguration => ({
  metadata: { name: "limit-list-custom", uid: "level-uid" },
  spec,
});
const limitSchema: FlowSchema = {
  metadata: { name: "limit-list-custom", uid: "schema-uid" },
  spec: {
    priorityLevelConfiguration: { name: "limit-list-custom" },
    matchingPrecedence: 1_000,
    distinguisherMethod: { type: "ByUser" },
    rules: [
      {
        subjects: [
          {
            kind: "ServiceAccount",
            serviceAccount: { namespace: "d8-log-shipper", name: "vector" },
          },
        ],
        resourceRules: [
          {
            verbs: ["list", "get"],
            apiGroups: [""],
            resources: ["pods"],
            clusterScope: true,
            namespaces: ["*"],
          },
        ],
      },
    ],
  },
};

let host: TestHost;
let control: FlowControl;

beforeEach(() => {
  host = createTestHost();
});

function build(
  profile: FlowControlProfile,
  own: { level?: PriorityLevelConfiguration[]; schema?: FlowSchema[]; minor?: number } = {},
): void {
  control = new FlowControl(host, {
    profile,
    seats: 600,
    requestTimeoutMs: 60_000,
    sizes: new ResourceSizes([]),
  });
  configure(own);
}

function configure(own: {
  level?: PriorityLevelConfiguration[];
  schema?: FlowSchema[];
  minor?: number;
}) {
  const { level = [], schema = [], minor = 36 } = own;
  return control.configure(
    [...(priorityLevels(minor) as unknown as PriorityLevelConfiguration[]), ...level],
    [...(flowSchemas("", minor) as unknown as FlowSchema[]), ...schema],
  );
}

const never = (): AbortSignal => new AbortController().signal;

function enter(
  digest: RequestDigest = collector,
  signal = never(),
): FlowAnswer | Promise<FlowAnswer> {
  return control.enter({
    digest,
    timeoutMs: digest.verb === "watch" ? undefined : 60_000,
    listOptions: () => noListOptions,
    signal: () => signal,
  });
}

function passOf(answer: FlowAnswer | Promise<FlowAnswer>): FlowPass {
  if (answer instanceof Promise || answer.kind !== "Passed") throw new Error("it has to pass");
  return answer;
}

/** Passed, Refused or Waiting. */
const kinds = (answers: readonly (FlowAnswer | Promise<FlowAnswer>)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const kind = answer instanceof Promise ? "Waiting" : answer.kind;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe("the guard of the Palark outage, applied at each version", () => {
  const nominal = { ...limitSpec.limited, borrowingLimitPercent: 0 };

  test.each([
    [20, 15, 1, 15],
    [22, 12, 1, 12],
    [24, 12, 10, 1],
    [28, 12, 2, 6],
    [34, 12, 2, 6],
  ])("1.%i: %i seats, %i a LIST, %i LISTs at once", (minor, seats, each, atOnce) => {
    const cache = { layout: { label: "pods" }, size: 7_130, bytes: 13_313_287 };
    const sizes = new ResourceSizes([cache as never]);
    const profile = flowcontrolProfileOf(minor);
    control = new FlowControl(host, { profile, seats: 600, requestTimeoutMs: 60_000, sizes });
    const spec = { ...limitSpec, limited: nominal };
    configure({ level: [limitLevel(spec)], schema: [limitSchema], minor });
    expect(control.levels.get("limit-list-custom")?.current).toBe(seats);
    const lists = times(220, () =>
      control.enter({
        digest: { ...collector, verb: "list", name: "" },
        timeoutMs: 60_000,
        listOptions: () => ({ ...noListOptions, fieldSelector: "spec.nodeName=node-1" }),
        signal: never,
      }),
    );
    // One ServiceAccount is one flow: four queues of fifty wait, and the rest is refused.
    expect(kinds(lists)).toEqual({ Passed: atOnce, Waiting: 200, Refused: 20 - atOnce });
    const first = passOf(lists[0]!);
    expect([first.seats, first.schemaUid, first.levelUid]).toEqual([
      each,
      "schema-uid",
      "level-uid",
    ]);
  });

  test("without a borrowing limit, and from 1.26 on, it may use what others leave", () => {
    build(flowcontrolProfileOf(36), { level: [limitLevel()], schema: [limitSchema] });
    expect(control.levels.get("limit-list-custom")?.limits.nominal).toBe(12);
    expect(control.levels.get("limit-list-custom")?.current).toBeGreaterThan(12);
  });
});

describe("4,800 requests of one ServiceAccount at once", () => {
  test("are more than Kubernetes' own level takes", () => {
    build(flowcontrolProfileOf(36));
    expect(kinds(times(4_800, () => enter()))["Refused"]).toBeGreaterThan(4_000);
  });

  test("all find a place in ours", () => {
    build(wavetankFlowControl);
    expect(kinds(times(4_800, () => enter()))["Refused"]).toBeUndefined();
  });

  test("are held to what an administrator wrote in ours too", () => {
    build(wavetankFlowControl, { level: [limitLevel()], schema: [limitSchema] });
    const { Refused = 0, Waiting } = kinds(times(4_800, () => enter()));
    expect([Waiting, Refused > 4_500]).toEqual([200, true]);
  });
});

describe("waiting", () => {
  const one = { nominalConcurrencyShares: 1, lendablePercent: 0, borrowingLimitPercent: 0 };
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 2 };
  const narrow = limitLevel({
    type: "Limited",
    limited: { ...one, limitResponse: { type: "Queue", queuing } },
  });

  beforeEach(() => build(flowcontrolProfileOf(36), { level: [narrow], schema: [limitSchema] }));

  const fill = (): FlowPass[] => {
    const limit = control.levels.get("limit-list-custom")!.current;
    return times(limit, () => passOf(enter()));
  };

  /** One timer is shared by all who wait equally long, and goes when its time is over. */
  async function expectNoTimerLeft(): Promise<void> {
    expect(host.timers).toBe(1);
    await host.advance(15_000);
    expect(host.timers).toBe(0);
  }

  test("ends with a seat, and the pass says how long it was", async () => {
    const [first] = fill();
    const waiting = enter();
    await host.advance(2_000);
    first?.release();
    const answer = await waiting;
    expect([answer.kind, answer.kind === "Passed" && answer.waitedMs]).toEqual(["Passed", 2_000]);
    await expectNoTimerLeft();
  });

  test("ends after a quarter of the request's time, with a refusal", async () => {
    fill();
    const waiting = enter();
    let answer: FlowAnswer | undefined;
    void Promise.resolve(waiting).then((one) => (answer = one));
    await host.advance(14_999);
    expect(answer).toBeUndefined();
    await host.advance(1);
    expect(answer).toMatchObject({ kind: "Refused", retryAfterSeconds: 1 });
    const level = control.levels.get("limit-list-custom")!;
    expect(level.figuresOf("limit-list-custom").rejected["time-out"]).toBe(1);
    expect(level.queues.waiting).toBe(0);
  });

  test("ends when the client leaves", async () => {
    fill();
    const client = new AbortController();
    const waiting = enter(collector, client.signal);
    client.abort();
    expect((await waiting).kind).toBe("Refused");
    expect(control.levels.get("limit-list-custom")?.queues.waiting).toBe(0);
    await expectNoTimerLeft();
  });

  test("goes on when the configuration changes, and a level that is gone drains", async () => {
    const passes = fill();
    const waiting = enter();
    configure({});
    const level = control.levels.get("limit-list-custom");
    expect([level?.isQuiescing, level?.queues.waiting]).toEqual([true, 1]);
    expect(passOf(enter()).level).toBe("workload-low");
    passes.forEach((pass) => pass.release());
    const answer = await waiting;
    expect(answer.kind).toBe("Passed");
    if (answer.kind === "Passed") answer.leave();
    expect(control.levels.has("limit-list-custom")).toBe(false);
  });

  test("Retry-After grows while many are refused, each level for itself", async () => {
    fill();
    const waiting = times(2, () => enter());
    let refused = 0;
    for (let second = 0; second < 40; second++) {
      refused += kinds(times(100, () => enter()))["Refused"] ?? 0;
      await host.advance(1_000);
    }
    expect(enter()).toMatchObject({ kind: "Refused", retryAfterSeconds: 32 });
    expect(control.levels.get("workload-low")?.retryAfter.seconds).toBe(1);
    expect([waiting.length, refused > 3_900]).toEqual([2, true]);
  });

  test("until 1.27 Retry-After is 1", () => {
    build(flowcontrolProfileOf(27), { level: [narrow], schema: [limitSchema] });
    fill();
    const answers = times(900, () => enter());
    expect(answers.at(-1)).toMatchObject({ kind: "Refused", retryAfterSeconds: 1 });
  });
});

test("who is exempt never waits, and takes seats from nobody", () => {
  build(flowcontrolProfileOf(36));
  const admin = { ...collector.user, groups: ["system:masters"] };
  const answers = times(2_000, () => enter({ ...collector, user: admin }));
  expect(kinds(answers)).toEqual({ Passed: 2_000 });
  expect(passOf(answers[0]!).level).toBe("exempt");
});

test("who matches nothing else falls to the catch-all, which refuses instead of queuing", () => {
  build(flowcontrolProfileOf(36));
  const stranger = { ...collector.user, name: "x", groups: [] };
  const answers = times(100, () => enter({ ...collector, user: stranger }));
  const { Passed = 0, Refused = 0, Waiting = 0 } = kinds(answers);
  expect([Passed + Refused, Waiting]).toEqual([100, 0]);
  expect(Refused).toBeGreaterThan(0);
});

test("the mandatory objects hold before any object is there", () => {
  control = new FlowControl(host, {
    profile: wavetankFlowControl,
    seats: 600,
    requestTimeoutMs: 60_000,
    sizes: new ResourceSizes([]),
  });
  expect([...control.levels.keys()].sort()).toEqual(["catch-all", "exempt"]);
  expect(passOf(enter()).level).toBe("catch-all");
});

test("a FlowSchema whose level is missing is not used, and is told so once", () => {
  build(flowcontrolProfileOf(36));
  const wishes = configure({ schema: [limitSchema] });
  expect(wishes.map(({ object, condition }) => [object.metadata.name, condition])).toEqual([
    [
      "limit-list-custom",
      {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message:
          'This FlowSchema references the PriorityLevelConfiguration object named "limit-list-custom" but there is no such object',
      },
    ],
  ]);
  expect(passOf(enter()).level).toBe("workload-low");
  const told = { ...limitSchema, status: { conditions: [wishes[0]!.condition] } };
  expect(configure({ schema: [told] })).toEqual([]);
});

test("a watch holds its seat until it has begun, and counts for writes until it ends", () => {
  build(flowcontrolProfileOf(36));
  const watch = { ...collector, verb: "watch", name: "" };
  const passes = times(30, () => passOf(enter(watch)));
  const level = control.levels.get("workload-low")!;
  expect(level.queues.seatsInUse).toBe(30);
  passes.forEach((pass) => pass.release());
  expect(level.queues.seatsInUse).toBe(0);
  const write = passOf(enter({ ...collector, verb: "update" }));
  expect(level.queues.seatsInUse).toBe(3);
  write.leave();
  passes.forEach((pass) => pass.leave());
  expect(level.queues.seatsInUse).toBe(3);
  passOf(enter({ ...collector, verb: "update" }));
  expect(level.queues.seatsInUse).toBe(4);
});

test("a write's final seats are given back when its events had their time", async () => {
  build(flowcontrolProfileOf(36));
  times(30, () => passOf(enter({ ...collector, verb: "watch", name: "" })).release());
  passOf(enter({ ...collector, verb: "update" })).release();
  const level = control.levels.get("workload-low")!;
  expect(level.queues.seatsInUse).toBe(3);
  await host.advance(5);
  expect(level.queues.seatsInUse).toBe(0);
});

test("every ten seconds a busy level borrows", async () => {
  build(flowcontrolProfileOf(36));
  const stop = control.start();
  const level = control.levels.get("workload-low")!;
  const before = level.current;
  const pending = times(300, () => enter());
  await host.advance(borrowingPeriodMs);
  expect(level.current).toBeGreaterThan(before);
  expect(level.queues.seatsInUse).toBe(Math.min(level.current, 300));
  stop();
  await settle();
  expect(pending).toHaveLength(300);
});

test("dumps show levels, queues and requests in upstream's columns", () => {
  build(flowcontrolProfileOf(36), { level: [limitLevel()], schema: [limitSchema] });
  passOf(enter());
  const of = { levels: [...control.levels.values()], details: true, epochMs: 0 };
  const line = (text: string, start: string): string =>
    text.split("\n").find((one) => one.startsWith(start)) ?? "";
  const levels = dump("dump_priority_levels", of);
  expect(levels.split("\n")[0]).toBe(
    "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, " +
      "DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests",
  );
  expect(line(levels, "limit-list-custom,").replaceAll(/ +/g, "")).toBe(
    "limit-list-custom,0,false,false,0,1,1,0,0,0",
  );
  expect(dump("dump_queues", of).split("\n")).toHaveLength(1 + 16 + 128 * 3 + 64 * 2 + 16 + 1);
  const requests = line(dump("dump_requests", of), "limit-list-custom,");
  expect(requests).toContain(account);
  expect(requests.split(",")).toHaveLength(18);
});
