import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const raw = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

describe("continue tokens", () => {
  it("have Kubernetes' form, with the key relative to the list", () => {
    const from = { revision: 42, startKey: "default/web-1\0" };
    expect(encodeContinue(from, "")).toBe(
      raw('{"v":"meta.k8s.io/v1","rv":42,"start":"default/web-1\\u0000"}'),
    );
    expect(encodeContinue(from, "default/")).toBe(
      raw('{"v":"meta.k8s.io/v1","rv":42,"start":"web-1\\u0000"}'),
    );
  });

  it("come back as they went", () => {
    const segment = fc.string({ minLength: 1 }).filter((text) => /^[^./]+$/.test(text));
    fc.assert(
      fc.property(segment, segment, fc.integer({ min: 1 }), (namespace, name, revision) => {
        const from = { revision, startKey: `${namespace}/${name}\0` };
        expect(decodeContinue(encodeContinue(from, ""), "")).toEqual(from);
        const prefix = `${namespace}/`;
        expect(decodeContinue(encodeContinue(from, prefix), prefix)).toEqual(from);
      }),
    );
  });

  const v = "meta.k8s.io/v1";
  const refused: [token: string, detail: string][] = [
    ["*", ": illegal base64 data at input byte 0"],
    ["AAAAA", ": illegal base64 data at input byte 4"],
    [raw("x"), ": invalid character 'x' looking for beginning of value"],
    [raw({ v: "v2", rv: 1, start: "a" }), ": server does not recognize this encoded version v2"],
    [
      raw({ v, rv: 0, start: "a" }),
      ": incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [raw({ v, rv: 1, start: "" }), ": encoded start key empty (version meta.k8s.io/v1)"],
    [raw({ v, rv: 1, start: "../kube-system/x" }), ": ../kube-system/x"],
    [raw({ v, rv: 1, start: "a//b" }), ": a//b"],
  ];
  it.each(refused)("refuses %j", (token, detail) => {
    const message = `invalid continue token: continue key is not valid${detail}`;
    expect(() => decodeContinue(token, "default/")).toThrowError(
      expect.objectContaining({ message, code: 400 }),
    );
  });
});
