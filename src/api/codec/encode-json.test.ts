import { expect, test } from "vitest";
import { decodeUtf8 } from "../../std/utf8.ts";
import { encodeJson } from "./encode-json.ts";
import { orderFields } from "./field-order.ts";

const text = (typeId: string, object: object): string => decodeUtf8(encodeJson(typeId, object));

test("fields that were appended move to their place, at every depth", () => {
  const pod = {
    metadata: { name: "a", labels: { b: "1", a: "2" }, uid: "u" },
    spec: {
      containers: [
        {
          image: "i",
          name: "c",
          livenessProbe: { periodSeconds: 1, httpGet: { port: 1, path: "/" } },
        },
      ],
      nodeSelector: { z: "1", y: "2" },
      volumes: [],
    },
    apiVersion: "v1",
    kind: "Pod",
  };
  expect(text("core.v1.Pod", pod)).toBe(
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","labels":{"a":"2","b":"1"}},"spec":{"volumes":[],"containers":[{"name":"c","image":"i","livenessProbe":{"httpGet":{"path":"/","port":1},"periodSeconds":1}}],"nodeSelector":{"y":"2","z":"1"}}}',
  );
});

test("what is in order is not copied, and the original is left alone", () => {
  const ordered = {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "a" },
    data: { a: "1" },
  };
  expect(orderFields("core.v1.ConfigMap", ordered)).toBe(ordered);
  const unordered = { data: { b: "1", a: "2" }, kind: "ConfigMap" };
  const result = orderFields("core.v1.ConfigMap", unordered);
  expect(Object.keys(result)).toEqual(["kind", "data"]);
  expect(Object.keys(unordered.data)).toEqual(["b", "a"]);
});

test("undefined fields vanish, unknown ones go last, bigint and __proto__ survive", () => {
  const data = JSON.parse('{"z":"1","__proto__":"x"}') as object;
  expect(
    text("core.v1.ConfigMap", { extra: 1, immutable: undefined, data, kind: "ConfigMap" }),
  ).toBe('{"kind":"ConfigMap","data":{"__proto__":"x","z":"1"},"extra":1}');
  expect(text("core.v1.PodSecurityContext", { fsGroup: 2n ** 60n })).toBe(
    '{"fsGroup":1152921504606846976}',
  );
});
