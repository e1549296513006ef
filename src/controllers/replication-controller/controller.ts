// The ReplicationController's controller: a ReplicaSet's plan over a plain map of labels.
import { labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { ReplicationController } from "../../api/types/core-v1.ts";
import { keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { createReplicaController } from "../replica-set/replica-controller.ts";

export function createReplicationController(context: ComponentContext): Component {
  const informer = context.informers.of("replicationcontrollers");
  return createReplicaController(context, {
    kind: "ReplicationController",
    account: "replication-controller",
    lister: informer.lister,
    watchOwners: (controller) => controller.watch(informer, ({ object }) => [keyOf(object)]),
    resourceOf: (client) => client.resource("replicationcontrollers"),
    selectorOf: ({ spec }: ReplicationController) =>
      labelSelectorOf(spec?.selector === undefined ? undefined : { matchLabels: spec.selector }),
    countsTerminating: false,
    siblingsOf: (owner) => [owner],
  });
}
