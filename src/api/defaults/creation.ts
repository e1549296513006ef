// What a create adds once the client's status has been dropped (upstream: PrepareForCreate of the kinds' strategies, as
// far as it is a pure function of the object). Unlike defaults it must not run on updates.
import type { KubeObject } from "../object.ts";
import type { Namespace, Pod, Service } from "../types/core-v1.ts";
import { podQosClass } from "./qos-class.ts";
import { defaultIPFamilies } from "./service-defaults.ts";

/** In place, after the status was emptied and before validation. */
export function prepareCreated(typeId: string, object: KubeObject): void {
  switch (typeId) {
    case "core.v1.Pod":
      return preparePod(object);
    case "core.v1.Namespace":
      return prepareNamespace(object);
    case "core.v1.Service":
      return prepareService(object);
    case "core.v1.PersistentVolume":
    case "core.v1.PersistentVolumeClaim":
      object["status"] = { phase: "Pending" };
      return;
    default:
  }
}

function preparePod(pod: Pod): void {
  pod.status = { phase: "Pending", qosClass: podQosClass(pod.spec ?? {}) };
}

function prepareNamespace(namespace: Namespace): void {
  namespace.status = { phase: "Active" };
  const finalizers = ((namespace.spec ??= {}).finalizers ??= []);
  if (!finalizers.includes("kubernetes")) finalizers.push("kubernetes");
}

function prepareService(service: Service): void {
  service.status = { loadBalancer: {} };
  if (service.spec) defaultIPFamilies(service.spec);
}
