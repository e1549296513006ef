import { describe, expect, test } from "vitest";
import { type FieldError, fieldErrorBody } from "../meta/field-error.ts";
import type { ObjectMeta } from "../types/meta-v1.ts";
import { validateObjectMetaCreate, validateObjectMetaUpdate } from "./metadata.ts";
import { nameIsSubdomain } from "./names.ts";

const texts = (errors: FieldError[]) =>
  errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
const rules = { namespaced: true, name: nameIsSubdomain };
const meta = (more: ObjectMeta): ObjectMeta => ({ name: "a", namespace: "ns", ...more });
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe("create", () => {
  test("a full and good one", () => {
    const good = meta({
      generateName: "a-",
      labels: { app: "x", "a.b/c": "", "app.kubernetes.io/name": "y_Z.1" },
      annotations: { "Example.COM/Key": "anything at all\n" },
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, apiVersion: "apps/v1" },
      ],
      finalizers: ["orphan", "example.com/f"],
      managedFields: [{ manager: "m", operation: "Apply", fieldsType: "FieldsV1" }],
    });
    expect(texts(validateObjectMetaCreate(good, rules))).toEqual([]);
    expect(texts(validateObjectMetaCreate({ name: "a" }, { ...rules, namespaced: false }))).toEqual(
      [],
    );
  });
  test.each<[ObjectMeta, string[]]>([
    [{ namespace: "ns" }, ["metadata.name: Required value: name or generateName is required"]],
    [meta({ name: "A" }), [`metadata.name: Invalid value: "A": ${subdomain}`]],
    [
      meta({ name: "a".repeat(254) }),
      [`metadata.name: Invalid value: "${"a".repeat(254)}": must be no more than 253 characters`],
    ],
    [meta({ generateName: "_" }), [`metadata.generateName: Invalid value: "_": ${subdomain}`]],
    [{ name: "a" }, ["metadata.namespace: Required value"]],
    [
      meta({ namespace: "a.b" }),
      [`metadata.namespace: Invalid value: "a.b": must not contain dots`],
    ],
    [
      meta({ labels: { a: "b c" } }),
      [
        `metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
    ],
    [
      meta({ labels: { "a b": "c" } }),
      [
        `metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
    ],
    [
      meta({ labels: { "/a": "c" } }),
      [`metadata.labels: Invalid value: "/a": prefix part must be non-empty`],
    ],
    [
      meta({ annotations: { k: "a".repeat(262_144) } }),
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    [
      meta({ ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] }),
      [
        `metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty`,
        `metadata.ownerReferences.kind: Invalid value: "": must not be empty`,
        `metadata.ownerReferences.name: Invalid value: "": must not be empty`,
        `metadata.ownerReferences.uid: Invalid value: "": must not be empty`,
      ],
    ],
    [
      meta({ ownerReferences: [{ ...owner, kind: "Event" }] }),
      [
        `metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner`,
      ],
    ],
    [
      meta({
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: "q", controller: true },
        ],
      }),
      [
        `metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q`,
      ],
    ],
    [
      meta({ finalizers: ["orphan", "foregroundDeletion"] }),
      [
        `metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`,
      ],
    ],
    [
      meta({ managedFields: [{ operation: "Touch", fieldsType: "V2" }] }),
      [
        'metadata.managedFields[0].operation: Invalid value: "Touch": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
      ],
    ],
  ])("%o", (bad, want) => {
    expect(texts(validateObjectMetaCreate(bad, rules))).toEqual(want);
  });
  test("a cluster-scoped object has no namespace", () => {
    const errors = validateObjectMetaCreate(meta({}), { ...rules, namespaced: false });
    expect(texts(errors)).toEqual(["metadata.namespace: Forbidden: not allowed on this type"]);
  });
});

describe("update", () => {
  const old = meta({ uid: "u", creationTimestamp: "2024-01-01T00:00:00Z", generation: 2 });
  const deleting = { ...old, deletionTimestamp: "2024-01-02T00:00:00Z", finalizers: ["a/b"] };
  test.each<[ObjectMeta, ObjectMeta, string[]]>([
    [old, { ...old, labels: { a: "b" } }, []],
    [
      old,
      { ...old, name: "b", uid: "v", creationTimestamp: "2024-01-01T00:00:01Z" },
      [
        'metadata.name: Invalid value: "b": field is immutable',
        'metadata.uid: Invalid value: "v": field is immutable',
        'metadata.creationTimestamp: Invalid value: "2024-01-01T00:00:01Z": field is immutable',
      ],
    ],
    [
      old,
      { ...old, generation: 1 },
      ["metadata.generation: Invalid value: 1: must not be decremented"],
    ],
    [deleting, { ...deleting, finalizers: [] }, []],
    [
      deleting,
      { ...deleting, finalizers: ["a/b", "x/y", "c/d"] },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d", "x/y"}',
      ],
    ],
  ])("%#", (before, after, want) => {
    expect(texts(validateObjectMetaUpdate(after, before))).toEqual(want);
  });
});
