import { describe, expect, it } from "vitest";
import { parseQuantity } from "../../api/quantity.ts";
import { usageOf } from "../../api/quota/object-usage.ts";
import type { Pod, ResourceQuota } from "../../api/types/core-v1.ts";
import { type Charge, accountFor, counts, objection } from "./charge.ts";

const pod = (requests?: Record<string, string>, limits?: Record<string, string>): Pod => ({
  metadata: { name: "p" },
  spec: {
    containers: [{ name: "c1", resources: { requests: requests ?? {}, limits: limits ?? {} } }],
  },
});

function chargeOf(object: Pod): Charge {
  const kube = object as Charge["object"];
  return { resource: "pods", object: kube, usage: usageOf("pods", kube, 0) };
}

const quota = (
  hard: Record<string, string>,
  used: Record<string, string>,
  scopes: string[] = [],
): ResourceQuota => ({
  metadata: { name: "q" },
  spec: { hard, scopes },
  status: { hard, used },
});

describe("room in a quota", () => {
  it("is refused in Kubernetes' words", () => {
    const status = { hard: { pods: "1", services: "2" }, used: { pods: "1", services: "0" } };
    expect(accountFor("q", status, chargeOf(pod()))).toEqual({
      kind: "Exceeded",
      why: "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
    });
  });

  it("names all that is exceeded, and nothing else", () => {
    const hard = { pods: "5", "requests.cpu": "1", "requests.memory": "1Gi" };
    const used = { pods: "1", "requests.cpu": "700m", "requests.memory": "1000Mi" };
    const charge = chargeOf(pod({ cpu: "500m", memory: "64Mi" }));
    expect(accountFor("q", { hard, used }, charge)).toMatchObject({
      why: "exceeded quota: q, requested: requests.cpu=500m,requests.memory=64Mi, used: requests.cpu=700m,requests.memory=1000Mi, limited: requests.cpu=1,requests.memory=1Gi",
    });
  });

  it("is used up", () => {
    const hard = { pods: "5", cpu: "1" };
    const charge = chargeOf(pod({ cpu: "500m" }));
    const { status } = accountFor("q", { hard, used: { pods: "1", cpu: "250m" } }, charge) as {
      status: unknown;
    };
    expect(status).toEqual({ hard, used: { pods: "2", cpu: "750m" } });
  });
});

it.each([
  [
    { "limits.cpu": "1", "requests.cpu": "1" },
    pod(),
    "failed quota: q: must specify limits.cpu for: c1; requests.cpu for: c1",
  ],
  [{ "limits.cpu": "1" }, pod({}, { cpu: "1" }), undefined],
  [{ pods: "1" }, pod(), undefined],
])("a quota of %j objects to pods that say too little", (hard, object, why) => {
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
  expect(objection(quota(hard, used), chargeOf(object))).toBe(why);
});

it("nothing is admitted before the controller has counted", () => {
  expect(objection(quota({ pods: "1", cpu: "1" }, {}), chargeOf(pod({ cpu: "1" })))).toBe(
    "status unknown for quota: q, resources: cpu,pods",
  );
});

it("counts what its scopes mean", () => {
  const bestEffort = quota({ pods: "1" }, { pods: "0" }, ["BestEffort"]);
  expect(counts(bestEffort, chargeOf(pod()))).toBe(true);
  expect(counts(bestEffort, chargeOf(pod({ cpu: "1" })))).toBe(false);
  const secret = { metadata: { name: "s" } };
  const usage = new Map([["secrets", parseQuantity("1")]]);
  const charge = { resource: "secrets", object: secret, usage };
  expect(counts(quota({ secrets: "1" }, { secrets: "0" }), charge)).toBe(true);
  expect(counts(bestEffort, charge)).toBe(false);
});
