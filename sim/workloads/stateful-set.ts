// A StatefulSet whose pods each have a disk, rolled out once; pods and disks keep together.
import type { StatefulSet } from "../../src/api/types/apps-v1.ts";
import type { PersistentVolumeClaim, Pod } from "../../src/api/types/core-v1.ts";
import { type Workload, insist, madeNamespace, namespace, pause, templateOf } from "./workload.ts";

const name = "db";
const replicas = 3;

export const statefulSet: Workload = {
  name: "stateful-set",
  async act(user) {
    await madeNamespace(user);
    const sets = user.client.resource("statefulsets.apps");
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const spec = {
      replicas,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: templateOf(name),
      volumeClaimTemplates: [claim],
    };
    await insist(user, "set", () => sets.create({ metadata: { name, namespace }, spec }));
    await pause(user.clock, 40_000);
    const patch = { spec: { template: templateOf(name, { image: "two" }) } };
    await insist(user, "patch", () =>
      sets.patch({ name, namespace }, { type: "strategic", patch }),
    );
  },
  missing(state) {
    const set = state.find("statefulsets.apps", `${namespace}/${name}`) as StatefulSet | undefined;
    const { status, metadata } = set ?? {};
    if (metadata?.generation !== status?.observedGeneration) return "not observed";
    if (status?.readyReplicas !== replicas) return `${status?.readyReplicas ?? 0} ready`;
    if (status.updatedReplicas !== replicas) return `${status.updatedReplicas ?? 0} updated`;
    if (status.currentRevision !== status.updateRevision) return "the rollout is not over";
    const images = (state.list("pods", namespace) as Pod[]).map(
      ({ spec }) => spec?.containers?.[0]?.image,
    );
    if (images.length !== replicas || images.some((image) => image !== "two")) return "old pods";
    const claims = state.list("persistentvolumeclaims", namespace) as PersistentVolumeClaim[];
    const bound = claims.filter((one) => one.status?.phase === "Bound");
    return bound.length === replicas ? "" : `${bound.length} claims are bound`;
  },
};
