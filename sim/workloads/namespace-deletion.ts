// A namespace full of things that make things is deleted while they are being made; nothing of it may be left.
import { type Workload, insist, madeNamespace, namespace, pause, templateOf } from "./workload.ts";

export const namespaceDeletion: Workload = {
  name: "namespace-deletion",
  async act(user) {
    await madeNamespace(user);
    const { client } = user;
    const metadata = (name: string) => ({ name, namespace });
    await insist(user, "deployment", () =>
      client.resource("deployments.apps").create({
        metadata: metadata("web"),
        spec: {
          replicas: 4,
          selector: { matchLabels: { app: "web" } },
          template: templateOf("web"),
        },
      }),
    );
    await insist(user, "job", () =>
      client.resource("jobs.batch").create({
        metadata: metadata("job"),
        spec: {
          completions: 4,
          parallelism: 2,
          template: templateOf("job", {
            annotations: { "wavetank.dev/run-seconds": "30" },
            spec: { restartPolicy: "OnFailure" },
          }),
        },
      }),
    );
    const spec = { selector: { app: "web" }, ports: [{ port: 80 }] };
    await insist(user, "service", () =>
      client.resource("services").create({ metadata: metadata("web"), spec }),
    );
    for (const name of ["a", "b", "c"])
      await insist(user, name, () =>
        client.resource("configmaps").create({ metadata: metadata(name), data: { x: "y" } }),
      );
    await pause(user.clock, 15_000);
    await insist(user, "delete", () => client.resource("namespaces").delete({ name: namespace }));
  },
  missing(state) {
    if (state.find("namespaces", namespace) !== undefined) return "the namespace is there";
    const left = state.resources.flatMap((resource) =>
      resource === "events" ? [] : state.list(resource, namespace).map(() => resource),
    );
    return left.length === 0 ? "" : `left: ${left.join(", ")}`;
  },
};
