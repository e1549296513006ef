// Pods have to leave a node that gets a NoExecute taint, and stay away until it is taken off.
import type { Deployment } from "../../src/api/types/apps-v1.ts";
import type { Pod } from "../../src/api/types/core-v1.ts";
import { type Workload, insist, madeNamespace, namespace, pause, templateOf } from "./workload.ts";

const name = "web";
const replicas = 8;
const tainted = "node-1";

export const taintEviction: Workload = {
  name: "taint-eviction",
  async act(user) {
    await madeNamespace(user);
    const spec = {
      replicas,
      selector: { matchLabels: { app: name } },
      template: templateOf(name, { spec: { terminationGracePeriodSeconds: 5 } }),
    };
    await insist(user, "deployment", () =>
      user.client.resource("deployments.apps").create({ metadata: { name, namespace }, spec }),
    );
    await pause(user.clock, 20_000);
    const patch = { spec: { taints: [{ key: "repair", effect: "NoExecute" }] } };
    await insist(user, "taint", () =>
      user.client.resource("nodes").patch({ name: tainted }, { type: "strategic", patch }),
    );
  },
  missing(state) {
    const { status } = (state.find("deployments.apps", `${namespace}/${name}`) ?? {}) as Deployment;
    const pods = state.list("pods", namespace) as Pod[];
    const left = pods.filter(({ spec }) => spec?.nodeName === tainted);
    if (left.length > 0) return `${left.length} pods are on ${tainted}`;
    return status?.readyReplicas === replicas && pods.length === replicas
      ? ""
      : `${status?.readyReplicas ?? 0} of ${pods.length} ready`;
  },
};
