// DELETE of one object: options from the body, or from the query when there is no body.
import { decodeOptions } from "../../api/codec/body.ts";
import type { DeleteOptions, Status } from "../../api/types/meta-v1.ts";
import type { Exchange } from "../exchange.ts";
import { objectReply, successReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { bodyMediaOf, readBytes } from "../request-body.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import type { Endpoint } from "../endpoint.ts";
import type { Deleted } from "../../registry/registry.ts";
import type { ServerState } from "../server-state.ts";
import { writeCall } from "../write-call.ts";
import { checkDeleteOptions, deleteOptionsOf, managerOf } from "../write-options.ts";

export async function deleteObject({ server, exchange, endpoint }: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const options = await readDeleteOptions(server, exchange);
  const call = deleteCall(server, exchange, { endpoint, options });
  const { name } = exchange.info;
  const deleted = await storedOf(endpoint).delete({ name, options, ...call });
  if (deleted.gone && !deleted.returnsObject) {
    const status = deletedStatus(endpoint, name, deleted);
    exchange.trail?.answeredStatus(status);
    return successReply(server, exchange, status);
  }
  // The one case of 202: the old option was given and the object is still there.
  const status = !deleted.gone && options.orphanDependents === false ? 202 : 200;
  return objectReply(wanted, { status, kind: endpoint.kind, bytes: deleted.bytes });
}

export async function readDeleteOptions(
  server: ServerState,
  exchange: Exchange,
): Promise<DeleteOptions> {
  const body = await readBytes(server, exchange);
  const options: DeleteOptions =
    body.length === 0
      ? deleteOptionsOf(exchange.query)
      : (decodeOptions("meta.v1.DeleteOptions", body, bodyMediaOf(exchange)) as DeleteOptions);
  checkDeleteOptions(options);
  if (body.length > 0) exchange.trail?.sentOptions(options);
  return options;
}

export function deleteCall(
  server: ServerState,
  exchange: Exchange,
  of: { readonly endpoint: Endpoint; readonly options: DeleteOptions },
): ReturnType<typeof writeCall> {
  const dryRun = (of.options.dryRun ?? []).length > 0;
  const fieldManager = managerOf(exchange.userAgent);
  return writeCall(server, exchange, { endpoint: of.endpoint, options: { dryRun, fieldManager } });
}

/** No code in it: this one never had any. */
function deletedStatus(endpoint: Endpoint, name: string, deleted: Deleted): Status {
  const { group, resource } = endpoint.target;
  const { uid } = deleted.object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(group === "" ? {} : { group }),
      kind: resource,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
