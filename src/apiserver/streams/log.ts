// `pods/NAME/log`: what the node has to say of one container, as text.
import type { ContainerTarget, LogOptions } from "../../api/node-streams.ts";
import type { Reply } from "../reply.ts";
import type { ServerState } from "../server-state.ts";
import { fetched } from "./obstacle.ts";
import { untilDrained } from "./until-drained.ts";

/** Nothing to read yet is no error upstream (core/rest/log.go: no location, no content). */
const noContent: Reply = { status: 204, contentType: "", body: undefined };

export function serveLog(
  { parts, inFlight }: ServerState,
  target: ContainerTarget,
  options: LogOptions,
): Reply {
  if (target.node === "") return noContent;
  const log = fetched(() => parts.nodeStreams.logs(target, options));
  const body = untilDrained(inFlight, log);
  return { status: 200, contentType: "text/plain", body };
}
