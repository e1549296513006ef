// The names behind the UIDs in X-Kubernetes-PF-FlowSchema-UID and X-Kubernetes-PF-PriorityLevel-UID.
import { UsageError } from "./options.ts";
import type { ServerConnection } from "./server-connection.ts";

export type FlowKind = "flowschemas" | "prioritylevelconfigurations";

/** UID -> name; empty when the server does not tell: nobody needs them. */
export async function flowNames(
  server: ServerConnection,
  kind: FlowKind,
): Promise<ReadonlyMap<string, string>> {
  const answer = await server
    .ask({ target: `/apis/flowcontrol.apiserver.k8s.io/v1/${kind}` })
    .catch((error: unknown) => {
      if (error instanceof UsageError) return undefined;
      throw error;
    });
  if (answer?.status !== 200) return new Map();
  const { items } = JSON.parse(answer.text) as {
    items: readonly { metadata: { name: string; uid: string } }[];
  };
  return new Map(items.map(({ metadata }) => [metadata.uid, metadata.name]));
}
