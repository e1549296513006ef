import { describe, expect, it } from "vitest";
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { KubeObject } from "../../api/object.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { createTestHost } from "../../host/host.testbed.ts";
import { runawayLawDefaults } from "../runaway-owner/law.ts";
import { OwnerLedger } from "../runaway-owner/owner-ledger.ts";
import { type RunawayReport, runawayOwner } from "./runaway-owner.ts";

const owner = { apiVersion: "batch/v1", kind: "Job", name: "pi", uid: "u1", controller: true };

function podOf(...ownerReferences: (typeof owner)[]): KubeObject {
  return { metadata: { name: "p", namespace: "ns", ownerReferences } };
}

/** Job u1 has spent its budget of 3. */
function setUp() {
  const host = createTestHost();
  const ledger = new OwnerLedger(host.clock, { ...runawayLawDefaults, limit: 1, perWaitingPod: 2 });
  const reports: RunawayReport[] = [];
  const step = runawayOwner({ ledger, report: (report) => reports.push(report) });
  const create = (object: KubeObject, rest: Partial<AdmissionAttributes> = {}) =>
    refusalOf(step, admissionCall("CREATE", "pods", object, rest));
  for (let i = 0; i <= 3; i++) {
    ledger.ask("ns/u1", "Job");
    ledger.observe(`ns/${i}`, "ns/u1", "Waiting");
    ledger.observe(`ns/${i}`, "ns/u1", "Ended");
  }
  return { step, create, reports };
}

describe("RunawayOwner", () => {
  const facts =
    '3 pods of Job "pi" in namespace "ns" were replaced within 60 minutes though none of them ever ran. ' +
    "Find out why they do not run (kubectl describe pod), or delete the Job.";

  it("refuses the owner and says what to do", async () => {
    const { create } = setUp();
    expect(await create(podOf(owner))).toEqual({
      code: 429,
      message: `runaway owner: ${facts} Retry in 1 s.`,
    });
  });

  it("reports the owner once", async () => {
    const { create, reports } = setUp();
    await create(podOf(owner));
    await create(podOf(owner));
    const message = `Creating pods is slowed down: ${facts}`;
    expect(reports).toEqual([{ owner, namespace: "ns", message }]);
  });

  it.each<[string, KubeObject, Partial<AdmissionAttributes>]>([
    ["another owner", podOf({ ...owner, uid: "u2" }), {}],
    ["the same UID in another namespace", podOf(owner), { namespace: "other" }],
    ["an owner that does not control", podOf({ ...owner, controller: false }), {}],
    ["a pod of nobody", podOf(), {}],
    ["a dry run", podOf(owner), { dryRun: true }],
    ["a subresource", podOf(owner), { subresource: "eviction" }],
    ["an update", podOf(owner), { operation: "UPDATE" }],
  ])("lets %s pass", async (_, object, rest) => {
    const { create, reports } = setUp();
    expect(await create(object, rest)).toBeUndefined();
    expect(reports).toEqual([]);
  });

  it("minds pods only", async () => {
    const { step } = setUp();
    const call = admissionCall("CREATE", "configmaps", podOf(owner));
    expect(await refusalOf(step, call)).toBeUndefined();
  });
});
