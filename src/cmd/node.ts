// `wavetank node kill|cut|restart|late|skew NAME`: what happens to the machine under a simulated node, said to the fleet by
// annotations of the Node object (docs/nodes.md). Speaks to any server that the kubeconfig names.
import { type NodeDeed, changesOf } from "../kubelet/node-deed.ts";
import { UsageError } from "./options.ts";
import { connectTo } from "./server-connection.ts";
import { usualKubeconfig } from "./usual-kubeconfig.ts";

export interface NodeFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Rejects with UsageError when the kubeconfig cannot be used, there is no such node, or nobody answers. */
export async function doToNode(deed: NodeDeed, name: string, flags: NodeFlags): Promise<void> {
  const kubeconfig = flags.kubeconfig ?? usualKubeconfig();
  const server = connectTo({ ...flags, kubeconfig }, "wavetank-node");
  try {
    const mergePatch = { metadata: { annotations: changesOf(deed, new Date()) } };
    const target = `/api/v1/nodes/${encodeURIComponent(name)}`;
    const { status, text } = await server.ask({ target, mergePatch });
    if (status >= 300) throw new UsageError(sayingOf(text) ?? `the server answered ${status}`);
    console.log(`node/${name} ${doneText(deed)}`);
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

/** Nothing is seen of most deeds for a while, so what is to be expected is said. */
function doneText(deed: NodeDeed): string {
  switch (deed.do) {
    case "kill":
      return "powered off: NotReady 40 to 50 s after its last heartbeat";
    case "cut":
      return "cut off: NotReady 40 to 50 s after its last heartbeat";
    case "restart":
      return "restarted";
    case "late":
      return deed.seconds === 0 ? "beats as usual" : `beats every ${deed.seconds} s`;
    default:
      return deed.seconds === 0 ? "has the right time" : `has its clock off by ${deed.seconds} s`;
  }
}
