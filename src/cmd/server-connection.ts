// The server that a kubeconfig names, for commands that ask it one thing at a time. What goes wrong on the way is a
// UsageError; what the answer means is the command's.
import { readText } from "../client/response-body.ts";
import { ConnectionError } from "../host/http.ts";
import { createHttpsTransport } from "../host/node/https-transport.ts";
import { type ServerCredentials, readKubeconfig } from "../host/node/kubeconfig-credentials.ts";
import { messageOf } from "../std/error-message.ts";
import { encodeUtf8 } from "../std/utf8.ts";
import { UsageError } from "./options.ts";

export interface KubeconfigFlags {
  readonly kubeconfig: string;
  readonly context?: string;
}

export interface Question {
  readonly target: string;
  /** Absent: a GET. */
  readonly mergePatch?: object;
}

export interface ServerConnection {
  readonly url: string;
  ask(question: Question): Promise<{ readonly status: number; readonly text: string }>;
  close(): void;
}

const answerMs = 10_000;
const mergePatchType = "application/merge-patch+json";

export function readCredentials(flags: KubeconfigFlags): ServerCredentials {
  return usable(flags, () => readKubeconfig(flags.kubeconfig, flags.context));
}

function usable<Made>({ kubeconfig }: KubeconfigFlags, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw new UsageError(`kubeconfig ${kubeconfig}: ${messageOf(error)}`, { cause: error });
  }
}

export function connectTo(flags: KubeconfigFlags, userAgent: string): ServerConnection {
  const credentials = readCredentials(flags);
  const { server: url } = credentials;
  const https = usable(flags, () => createHttpsTransport(credentials));
  return {
    url,
    close: () => https.close(),
    async ask({ target, mergePatch }) {
      const signal = AbortSignal.timeout(answerMs);
      const sent = mergePatch === undefined ? "" : JSON.stringify(mergePatch);
      const type = mergePatch === undefined ? {} : { "content-type": mergePatchType };
      try {
        const { status, body } = await https.transport({
          method: mergePatch === undefined ? "GET" : "PATCH",
          target,
          headers: { accept: "application/json", "user-agent": userAgent, ...type },
          repeated: () => [],
          body: { read: () => Promise.resolve(encodeUtf8(sent)) },
          peer: { address: "" },
          signal,
        });
        return { status, text: await readText(body, signal) };
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        const why = signal.aborted ? `no answer within ${answerMs / 1_000} s` : error.message;
        throw new UsageError(`${url} cannot be reached: ${why}`, { cause: error });
      }
    },
  };
}
