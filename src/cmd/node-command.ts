// `wavetank node kill|cut|restart|late|skew NAME`: what happens to the machine under a simulated node, said to the fleet by
// annotations of the Node object (docs/nodes.md). Speaks to any server that the kubeconfig names.
import { type NodeDeed, changesOf } from "../kubelet/node-deed.ts";
import { UsageError } from "./options.ts";
import { connectTo } from "./server-connection.ts";

/** Rejects with UsageError when the kubeconfig cannot be used, there is no such node, or nobody answers. */
export async function doToNode(deed: NodeDeed, name: string, kubeconfig: string): Promise<void> {
  const server = connectTo({ kubeconfig }, "wavetank-node");
  try {
    const mergePatch = { metadata: { annotations: changesOf(deed, new Date()) } };
    const target = `/api/v1/nodes/${encodeURIComponent(name)}`;
    const { status, text } = await server.ask({ target, mergePatch });
    if (status >= 300) throw new UsageError(sayingOf(text) ?? `the server answered ${status}`);
  } finally {
    server.close();
  }
}

/** What a Status says. */
function sayingOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
