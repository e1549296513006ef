// A Deployment that nearly fills its nodes is rolled out twice, the second time before the first is through, and scaled.
import type { Deployment } from "../../src/api/types/apps-v1.ts";
import type { Pod } from "../../src/api/types/core-v1.ts";
import { type Workload, insist, madeNamespace, namespace, pause, templateOf } from "./workload.ts";

const name = "web";
const labels = { app: name };

export const deploymentRollout: Workload = {
  name: "deployment-rollout",
  async act(user) {
    await madeNamespace(user);
    const deployments = user.client.resource("deployments.apps");
    const spec = {
      replicas: 5,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      template: templateOf(name, { cpu: "1" }),
    };
    await insist(user, "deployment", () =>
      deployments.create({ metadata: { name, namespace }, spec }),
    );
    const patch = (body: object): Promise<void> =>
      insist(user, "patch", () =>
        deployments.patch({ name, namespace }, { type: "strategic", patch: { spec: body } }),
      );
    await pause(user.clock, 20_000);
    await patch({ template: templateOf(name, { image: "two", cpu: "1" }) });
    await pause(user.clock, 3_000);
    await patch({ template: templateOf(name, { image: "three", cpu: "1" }) });
    await pause(user.clock, 10_000);
    await patch({ replicas: 7 });
  },
  missing(state) {
    const { status, metadata } = (state.find("deployments.apps", `${namespace}/${name}`) ?? {
      metadata: {},
    }) as Deployment;
    const pods = state.list("pods", namespace) as Pod[];
    const right = pods.filter(({ spec }) => spec?.containers?.[0]?.image === "three");
    if (metadata.generation !== status?.observedGeneration) return "not observed";
    if (status?.readyReplicas !== 7 || status.replicas !== 7)
      return `${status?.readyReplicas} ready`;
    if (pods.length !== 7 || right.length !== 7) return `${right.length} of ${pods.length} are new`;
    return status.updatedReplicas === 7 ? "" : "status is behind";
  },
};
