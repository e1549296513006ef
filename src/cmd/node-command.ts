// `wavetank node kill|cut|restart|late|skew NAME`: what happens to the machine under a simulated node, said to the fleet by
// annotations of the Node object (docs/nodes.md). Speaks to any server that the kubeconfig names.
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { parse } from "yaml";
import { type NodeDeed, changesOf } from "../kubelet/node-deed.ts";
import { UsageError } from "./options.ts";

const answerMs = 30_000;

/** Rejects with UsageError when the kubeconfig cannot be used, there is no such node, or nobody answers. */
export async function doToNode(deed: NodeDeed, name: string, kubeconfig: string): Promise<void> {
  const access = readAccess(kubeconfig);
  const body = JSON.stringify({ metadata: { annotations: changesOf(deed, new Date()) } });
  const path = `/api/v1/nodes/${encodeURIComponent(name)}`;
  const { status, text } = await patch(access, path, body);
  if (status >= 300) throw new UsageError(messageOf(text) ?? `the server answered ${status}`);
  console.log(`node/${name} ${doneText(deed)}`);
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

interface Access {
  readonly server: URL;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users?: readonly { readonly user: Readonly<Record<string, string>> }[];
}

/** Of the first cluster and user, as `wavetank up` writes it. */
function readAccess(path: string): Access {
  try {
    const { clusters, users } = parse(readFileSync(path, "utf8")) as Kubeconfig;
    const { cluster = {} } = clusters?.[0] ?? {};
    const { user = {} } = users?.[0] ?? {};
    const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64");
    return {
      server: new URL(cluster["server"] ?? ""),
      ca: bytes(cluster["certificate-authority-data"]),
      cert: bytes(user["client-certificate-data"]),
      key: bytes(user["client-key-data"]),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--kubeconfig ${path}: ${why}`, { cause: error });
  }
}

function patch(
  { server, ca, cert, key }: Access,
  path: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      new URL(path, server),
      {
        method: "PATCH",
        ca,
        cert,
        key,
        timeout: answerMs,
        headers: { "content-type": "application/merge-patch+json", accept: "application/json" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      },
    );
    call.on("timeout", () => call.destroy(new Error("no answer in time")));
    call.on("error", (error) =>
      reject(
        new UsageError(`${server.origin} cannot be reached: ${error.message}`, { cause: error }),
      ),
    );
    call.end(body);
  });
}

/** What a Status says. */
function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
