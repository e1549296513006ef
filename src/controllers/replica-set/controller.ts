// The ReplicaSet controller: replicas with the siblings that a Deployment gives them.
import { labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { ReplicaSet } from "../../api/types/apps-v1.ts";
import { keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { byController, controllerOf } from "../../informer/index-functions.ts";
import { createReplicaController } from "./replica-controller.ts";

export function createReplicaSetController(context: ComponentContext): Component {
  const informer = context.informers.of("replicasets.apps", [byController]);
  return createReplicaController(context, {
    kind: "ReplicaSet",
    account: "replicaset-controller",
    lister: informer.lister,
    watchOwners: (controller) => controller.watch(informer, ({ object }) => [keyOf(object)]),
    resourceOf: (client) => client.resource("replicasets.apps"),
    selectorOf: ({ spec }: ReplicaSet) => labelSelectorOf(spec?.selector),
    countsTerminating: true,
    siblingsOf(owner) {
      const deployment = controllerOf(owner);
      return deployment === undefined ? [owner] : informer.lister.by(byController, deployment.uid);
    },
  });
}
