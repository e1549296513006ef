// A Deployment never has more pods that count than it may: its replicas and what it may surge, at their largest so far.
import type { Deployment } from "../../src/api/types/apps-v1.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/types/core-v1.ts";
import type { StoredState } from "../stored-state.ts";
import type { MakeChecker } from "./checker.ts";

export const surge: MakeChecker = () => {
  const most = new Map<string, number>();
  return {
    name: "surge",
    see({ resource, object, previous }, state) {
      if (resource === "deployments.apps" && object !== undefined) {
        const { metadata, spec } = object as Deployment;
        const uid = metadata.uid ?? "";
        most.set(uid, Math.max(most.get(uid) ?? 0, limitOf(spec)));
      }
      if (resource !== "pods" || object === undefined || previous !== undefined) return [];
      const owner = deploymentOf(object, state);
      if (owner === undefined) return [];
      const uid = owner.metadata.uid ?? "";
      const count = (state.list("pods", owner.metadata.namespace) as Pod[]).filter(
        (pod) => counts(pod) && deploymentOf(pod as KubeObject, state)?.metadata.uid === uid,
      ).length;
      const limit = most.get(uid) ?? 0;
      if (count <= limit) return [];
      return [`deployment ${owner.metadata.name} has ${count} pods, at most ${limit} may be`];
    },
    atEnd: () => [],
  };
};

function limitOf(spec: Deployment["spec"]): number {
  const replicas = spec?.replicas ?? 1;
  const maxSurge = spec?.strategy?.rollingUpdate?.maxSurge ?? 0;
  if (typeof maxSurge === "number") return replicas + maxSurge;
  return replicas + Math.ceil((replicas * Number.parseInt(maxSurge, 10)) / 100);
}

function counts({ metadata, status }: Pod): boolean {
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  return !isOver && typeof metadata.deletionTimestamp !== "string";
}

function deploymentOf({ metadata }: KubeObject, state: StoredState): KubeObject | undefined {
  const { namespace = "", ownerReferences = [] } = metadata;
  const set = ownerReferences.find(({ kind }) => kind === "ReplicaSet");
  const owner = state.find("replicasets.apps", `${namespace}/${set?.name}`);
  const reference = owner?.metadata.ownerReferences?.find(({ kind }) => kind === "Deployment");
  return reference && state.find("deployments.apps", `${namespace}/${reference.name}`);
}
