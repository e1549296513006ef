// Gives a namespace its `kube-root-ca.crt` back when that is deleted. The API server publishes the bundle with the
// namespace and when it starts; only it knows the bundle, so what is given back is what was there (upstream:
// pkg/controller/certificates/rootcacertpublisher).
import type { ConfigMap } from "../../api/types/core-v1.ts";
import { hasCause, reasonOf } from "../../client/reason.ts";
import { keyOf, refOfKey } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import { retryUsual } from "../../informer/work-queue.ts";

const account = "root-ca-cert-publisher";
const name = "kube-root-ca.crt";

export function createRootCaPublisher(context: ComponentContext): Component {
  const { host, informers } = context;
  const maps = informers.of("configmaps");
  const namespaces = informers.of("namespaces");
  const writer = context.clientOf(account).resource("configmaps");
  /** What was deleted and is not back yet, by key. */
  const missing = new Map<string, ConfigMap>();

  const sync = async (key: string): Promise<void> => {
    const last = missing.get(key);
    if (last === undefined) return;
    const { namespace = "" } = refOfKey(key);
    const isActive = namespaces.lister.find(namespace)?.status?.phase === "Active";
    if (isActive && maps.lister.find(key) === undefined) await restore(namespace, last);
    missing.delete(key);
  };

  const restore = async (namespace: string, { data, metadata }: ConfigMap): Promise<void> => {
    const annotations = metadata.annotations ?? {};
    try {
      await writer.create({ metadata: { name, namespace, annotations }, data: data ?? {} });
    } catch (error) {
      if (reasonOf(error) === "AlreadyExists" || hasCause(error, "NamespaceTerminating")) return;
      throw error;
    }
  };

  const controller = new Controller(host, { name: account, workers: 1, retry: retryUsual, sync });
  controller.needs(namespaces);
  controller.watch(maps, ({ type, object }) => {
    if (type !== "deleted" || object.metadata.name !== name) return [];
    missing.set(keyOf(object), object);
    return [keyOf(object)];
  });
  return controller;
}
