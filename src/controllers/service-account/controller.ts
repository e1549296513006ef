// Gives a namespace its `default` ServiceAccount back when that is deleted. The API server makes it with the namespace,
// so that it is usable without controllers, and does not look again (upstream: pkg/controller/serviceaccount).
import { hasCause, reasonOf } from "../../client/reason.ts";
import { refOfKey } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import { retryUsual } from "../../informer/work-queue.ts";

const account = "service-account-controller";
const name = "default";

export function createServiceAccountController(context: ComponentContext): Component {
  const { host, informers } = context;
  const accounts = informers.of("serviceaccounts");
  const namespaces = informers.of("namespaces");
  const writer = context.clientOf(account).resource("serviceaccounts");

  const sync = async (key: string): Promise<void> => {
    const { namespace = "" } = refOfKey(key);
    if (namespaces.lister.find(namespace)?.status?.phase !== "Active") return;
    if (accounts.lister.find(key) !== undefined) return;
    try {
      await writer.create({ metadata: { name, namespace } });
    } catch (error) {
      if (reasonOf(error) === "AlreadyExists" || hasCause(error, "NamespaceTerminating")) return;
      throw error;
    }
  };

  const controller = new Controller(host, { name: account, workers: 1, retry: retryUsual, sync });
  controller.watch(namespaces, ({ type, object }) =>
    type === "deleted" ? [] : [`${object.metadata.name}/${name}`],
  );
  controller.watch(accounts, ({ type, object }) => {
    const { namespace = "", name: which } = object.metadata;
    return type === "deleted" && which === name ? [`${namespace}/${name}`] : [];
  });
  return controller;
}
