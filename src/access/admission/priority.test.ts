import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { priorityClassValidation, priorityMutation } from "./priority.ts";

const classes = "priorityclasses.scheduling.k8s.io";
const pod = (spec: object): KubeObject => ({ metadata: { name: "p", namespace: "ns" }, spec });
const withClasses = (...list: KubeObject[]) => new HeldObjects().put(classes, ...list);
const high = { metadata: { name: "high" }, value: 1000, preemptionPolicy: "Never" };
const usual = { metadata: { name: "usual" }, value: 5, globalDefault: true };
const lower = { metadata: { name: "lower" }, value: 4, globalDefault: true };

describe("priorityMutation", () => {
  test.each<[string, KubeObject[], object, object]>([
    ["without classes", [high], {}, { priority: 0, preemptionPolicy: "PreemptLowerPriority" }],
    [
      "a named class",
      [high],
      { priorityClassName: "high" },
      { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
    ],
    [
      "the lowest default",
      [usual, lower],
      {},
      { priorityClassName: "lower", priority: 4, preemptionPolicy: "PreemptLowerPriority" },
    ],
    [
      "what the user says, when it is right",
      [high],
      { priorityClassName: "high", priority: 1000 },
      { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
    ],
  ])("%s", async (_, list, spec, result) => {
    const object = pod(spec);
    await priorityMutation(withClasses(...list))(admissionCall("CREATE", "pods", object));
    expect(object["spec"]).toEqual(result);
  });

  test.each<[object, string]>([
    [{ priorityClassName: "x" }, "no PriorityClass with name x was found"],
    [
      { priorityClassName: "high", priority: 7 },
      "the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name",
    ],
    [
      { preemptionPolicy: "Never" },
      "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name",
    ],
  ])("refuses %j", async (spec, why) => {
    const step = priorityMutation(withClasses(high));
    expect(await refusalOf(step, admissionCall("CREATE", "pods", pod(spec)))).toEqual({
      code: 403,
      message: `pods "p" is forbidden: ${why}`,
    });
  });

  test("an update keeps what it leaves out", async () => {
    const object = pod({});
    const oldObject = pod({ priority: 3, preemptionPolicy: "Never" });
    await priorityMutation(withClasses())(admissionCall("UPDATE", "pods", object, { oldObject }));
    expect(object["spec"]).toEqual({ priority: 3, preemptionPolicy: "Never" });
  });
});

test("there is one default class at most", async () => {
  const step = priorityClassValidation(withClasses(usual));
  const wanted = (name: string) => ({ metadata: { name }, value: 1, globalDefault: true });
  expect(await refusalOf(step, admissionCall("CREATE", classes, wanted("second")))).toEqual({
    code: 403,
    message:
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
  });
  expect(await refusalOf(step, admissionCall("UPDATE", classes, wanted("usual")))).toBeUndefined();
});
