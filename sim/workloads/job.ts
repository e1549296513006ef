// Jobs that are tracked with finalizers: one whose pods succeed, an indexed one, and one whose pods all fail.
import type { Job } from "../../src/api/types/batch-v1.ts";
import { type Workload, insist, madeNamespace, namespace, templateOf } from "./workload.ts";

const runs = { "wavetank.dev/run-seconds": "4" };
const fails = { "wavetank.dev/run-seconds": "2", "wavetank.dev/exit-code": "1" };
const never = { restartPolicy: "Never" };

const specs = {
  plain: {
    completions: 6,
    parallelism: 3,
    template: templateOf("plain", { annotations: runs, spec: never }),
  },
  indexed: {
    completions: 4,
    parallelism: 4,
    completionMode: "Indexed",
    template: templateOf("indexed", { annotations: runs, spec: never }),
  },
  failing: {
    backoffLimit: 2,
    template: templateOf("failing", { annotations: fails, spec: never }),
  },
};

export const job: Workload = {
  name: "job",
  async act(user) {
    await madeNamespace(user);
    const jobs = user.client.resource("jobs.batch");
    for (const [name, spec] of Object.entries(specs))
      await insist(user, name, () => jobs.create({ metadata: { name, namespace }, spec }));
  },
  missing(state) {
    const of = (name: string): Job["status"] =>
      (state.find("jobs.batch", `${namespace}/${name}`) as Job | undefined)?.status;
    const has = (name: string, type: string): boolean =>
      of(name)?.conditions?.some((one) => one.type === type && one.status === "True") === true;
    if (!has("plain", "Complete") || of("plain")?.succeeded !== 6) return "plain is not complete";
    if (!has("indexed", "Complete") || of("indexed")?.completedIndexes !== "0-3")
      return "indexed is not complete";
    if (!has("failing", "Failed") || of("failing")?.failed !== 3) return "failing has not failed";
    const held = state
      .list("pods", namespace)
      .filter(({ metadata }) => metadata.finalizers?.length);
    return held.length === 0 ? "" : `${held.length} pods are still held`;
  },
};
