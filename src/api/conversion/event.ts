// events.k8s.io/v1 Event <-> v1 Event: the same fields under other names (upstream: pkg/apis/events/v1/conversion.go).
import type { KubeObject } from "../object.ts";

/** events.k8s.io/v1 name -> v1 name; every other field is called alike in both. */
const storedName: Readonly<Record<string, string>> = {
  regarding: "involvedObject",
  note: "message",
  reportingController: "reportingComponent",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};

const servedName: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(storedName).map(([served, stored]) => [stored, served]),
);

export function eventToStorage(event: KubeObject): KubeObject {
  // v1 prints these three also when they are empty.
  return {
    involvedObject: {},
    reportingComponent: "",
    reportingInstance: "",
    ...renamed(event, storedName),
    apiVersion: "v1",
  };
}

export function eventFromStorage(event: Readonly<KubeObject>): KubeObject {
  return {
    eventTime: null,
    ...renamed(event, servedName),
    apiVersion: "events.k8s.io/v1",
  };
}

/** `reportingController` of a field selector -> `reportingComponent`; `regarding.kind` -> `involvedObject.kind`. */
export function storedEventField(label: string): string {
  const [head = "", ...rest] = label.split(".");
  return [storedName[head] ?? head, ...rest].join(".");
}

function renamed(
  object: Readonly<KubeObject>,
  names: Readonly<Record<string, string>>,
): KubeObject {
  const fields = Object.entries(object).map(([name, value]) => [
    Object.hasOwn(names, name) ? names[name] : name,
    value,
  ]);
  return Object.fromEntries(fields) as KubeObject;
}
