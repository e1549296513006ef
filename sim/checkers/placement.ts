// No pod on two nodes, and no node promised more than it has.
import { type Amounts, addAmounts, amountsOf, podRequests } from "../../src/api/pod/amounts.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Node, Pod } from "../../src/api/types/core-v1.ts";
import type { StoredState } from "../stored-state.ts";
import type { MakeChecker } from "./checker.ts";

export const placement: MakeChecker = () => ({
  name: "placement",
  see({ resource, object, previous }, state) {
    if (resource !== "pods" || object === undefined) return [];
    const [node, before] = [nodeOf(object), nodeOf(previous)];
    const isSame = previous?.metadata.uid === object.metadata.uid;
    if (before !== "" && isSame && node !== before)
      return [`pod ${object.metadata.name} moved from ${before} to ${node}`];
    return node === "" || (isSame && before === node) ? [] : overcommit(node, state);
  },
  atEnd: (state) =>
    state.list("nodes").flatMap(({ metadata }) => overcommit(metadata.name ?? "", state)),
});

function nodeOf(pod: KubeObject | undefined): string {
  return (pod as Pod | undefined)?.spec?.nodeName ?? "";
}

function overcommit(name: string, state: StoredState): string[] {
  const node = state.find("nodes", name) as Node | undefined;
  if (node === undefined) return [];
  const pods = (state.list("pods") as Pod[]).filter(
    ({ spec, status }) =>
      spec?.nodeName === name && status?.phase !== "Succeeded" && status?.phase !== "Failed",
  );
  const promised = pods.reduce<Amounts>(
    (sum, { spec }) => addAmounts(sum, { ...podRequests(spec), pods: 1 }),
    {},
  );
  const allocatable = amountsOf(node.status?.allocatable);
  return Object.entries(promised)
    .filter(([resource, amount]) => amount > (allocatable[resource] ?? 0))
    .map(([resource, amount]) => `node ${name} has promised ${amount} of ${resource}`);
}
