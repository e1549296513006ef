// For the tests of defaults: an object with its defaults, and those that every pod gets.
import { expect } from "vitest";
import type { KubeObject } from "../object.ts";
import { applyDefaults } from "./defaults.ts";

/** The object after defaults, applied twice to see that they settle. */
export function defaulted(typeId: string, fields: object): KubeObject {
  const object: KubeObject = { metadata: { name: "x" }, ...structuredClone(fields) };
  applyDefaults(typeId, object);
  const once = structuredClone(object);
  applyDefaults(typeId, object);
  expect(object).toEqual(once);
  return object;
}

export const containerDefaults = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
};
export const podSpecDefaults = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
};
export const template = {
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i" }] },
};
export const templateDefaulted = {
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i", ...containerDefaults }], ...podSpecDefaults },
};
