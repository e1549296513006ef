// How it is worded that a node does not answer, or answers something else than a stream. It depends on who talks to the
// kubelet: the server itself, the client through a connection that is handed on, or the server in the client's place
// (upstream: registry/core/pod/rest/log.go, proxy/upgradeaware.go, proxy/streamtranslator.go).
import { internalError, unknownError } from "../../api/meta/errors.ts";
import { KubeletRefusal, KubeletUnreachable, type ProcessSession } from "../../api/node-streams.ts";
import { type Reply, textReply } from "../reply.ts";

/** The server reads from the kubelet. */
export function fetched<T>(ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof KubeletUnreachable)
      throw unknownError(`Get "${error.url}": ${error.message}`);
    throw error;
  }
}

/** What the kubelet answers reaches the client as it is. */
export function handedOn(ask: () => Reply): Reply {
  try {
    return ask();
  } catch (error) {
    if (error instanceof KubeletRefusal) return textReply(500, error.message);
    if (error instanceof KubeletUnreachable)
      throw unknownError(`error dialing backend: ${error.message}`);
    throw error;
  }
}

/** The client has its stream before the kubelet is asked: what goes wrong is told as the end of the process. */
export function translated(ask: () => ProcessSession, kubeletQuery: string): ProcessSession {
  return async (streams) => {
    try {
      return await ask()(streams);
    } catch (error) {
      if (error instanceof KubeletRefusal)
        throw internalError(`unable to upgrade connection: ${error.message}`);
      if (error instanceof KubeletUnreachable)
        throw internalError(
          `error sending request: Post "${error.url}?${kubeletQuery}": ${error.message}`,
        );
      throw error;
    }
  };
}
