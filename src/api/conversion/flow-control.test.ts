import { expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { fromStorage, storedKind, toStorage } from "./conversion.ts";

const group = "flowcontrol.apiserver.k8s.io";
const gvk = (version: string, kind = "PriorityLevelConfiguration") => ({ group, version, kind });
const level = (version: string, limited: object, annotations?: object): KubeObject =>
  ({
    apiVersion: `${group}/${version}`,
    kind: "PriorityLevelConfiguration",
    metadata: { name: "l", ...(annotations === undefined ? {} : { annotations }) },
    spec: { type: "Limited", limited },
  }) as KubeObject;

const zero = { "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": "" };

test.each([
  ["v1beta1", { assuredConcurrencyShares: 5 }, { nominalConcurrencyShares: 5 }],
  ["v1beta2", { assuredConcurrencyShares: 5 }, { nominalConcurrencyShares: 5 }],
  ["v1beta3", { nominalConcurrencyShares: 5 }, { nominalConcurrencyShares: 5 }],
])("shares of %s are stored as v1's, and served under their own name", (version, own, stored) => {
  const object = level(version, { ...own, lendablePercent: 1 });
  const inStore = toStorage(gvk(version), object);
  expect(inStore).toEqual(level("v1", { ...stored, lendablePercent: 1 }));
  expect(fromStorage(gvk(version), inStore)).toEqual(object);
});

test.each(["v1beta1", "v1beta2", "v1beta3"])("no shares in %s mean the default", (version) => {
  const name = version === "v1beta3" ? "nominalConcurrencyShares" : "assuredConcurrencyShares";
  expect(toStorage(gvk(version), level(version, { [name]: 0 }))).toEqual(level("v1", {}));
});

test("v1's zero shares survive the way through v1beta3", () => {
  const stored = level("v1", { nominalConcurrencyShares: 0 }, {});
  const served = fromStorage(gvk("v1beta3"), stored);
  expect(served).toEqual(level("v1beta3", { nominalConcurrencyShares: 0 }, zero));
  expect(toStorage(gvk("v1beta3"), served)).toEqual(stored);
});

test("FlowSchemas differ in their version alone", () => {
  const schema = (version: string): KubeObject => ({
    apiVersion: `${group}/${version}`,
    kind: "FlowSchema",
    metadata: { name: "s" },
  });
  expect(toStorage(gvk("v1beta2", "FlowSchema"), schema("v1beta2"))).toEqual(schema("v1"));
  expect(fromStorage(gvk("v1beta2", "FlowSchema"), schema("v1"))).toEqual(schema("v1beta2"));
  expect(storedKind(gvk("v1beta2", "FlowSchema"))).toEqual(gvk("v1", "FlowSchema"));
});
