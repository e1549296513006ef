// Two Deployments that want more pods together than their namespace's quota allows; then one of them gives way.
import type { Deployment } from "../../src/api/types/apps-v1.ts";
import type { ResourceQuota } from "../../src/api/types/core-v1.ts";
import { type Workload, insist, madeNamespace, namespace, pause, templateOf } from "./workload.ts";

const most = 6;

export const quotaRace: Workload = {
  name: "quota-race",
  async act(user) {
    await madeNamespace(user);
    const quotas = user.client.resource("resourcequotas");
    await insist(user, "quota", () =>
      quotas.create({ metadata: { name: "q", namespace }, spec: { hard: { pods: `${most}` } } }),
    );
    await pause(user.clock, 30_000);
    const deployments = user.client.resource("deployments.apps");
    for (const name of ["one", "two"]) {
      const spec = {
        replicas: 5,
        selector: { matchLabels: { app: name } },
        template: templateOf(name),
      };
      await insist(user, name, () => deployments.create({ metadata: { name, namespace }, spec }));
    }
    await pause(user.clock, 30_000);
    const patch = { spec: { replicas: 1 } };
    await insist(user, "scale", () =>
      deployments.patch({ name: "one", namespace }, { type: "merge", patch }),
    );
  },
  missing(state) {
    const ready = (name: string): number =>
      (state.find("deployments.apps", `${namespace}/${name}`) as Deployment | undefined)?.status
        ?.readyReplicas ?? 0;
    if (ready("one") !== 1 || ready("two") !== 5)
      return `${ready("one")} and ${ready("two")} ready`;
    const quota = state.find("resourcequotas", `${namespace}/q`) as ResourceQuota | undefined;
    const used = quota?.status?.used?.["pods"];
    return used === `${most}` ? "" : `the quota says that ${used} are used`;
  },
};
