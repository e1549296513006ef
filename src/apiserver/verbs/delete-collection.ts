// DELETE of a collection: everything the selectors match, answered as the list of what was deleted.
import { checkListOptions, readListOptions } from "../../api/meta/list-options.ts";
import { listMetaOf, listReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import { deleteCall, readDeleteOptions } from "./delete.ts";

export async function deleteCollection({
  server,
  exchange,
  endpoint,
}: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const selection = readListOptions(exchange.query);
  checkListOptions(selection, "list");
  const options = await readDeleteOptions(server, exchange);
  const call = deleteCall(server, exchange, { endpoint, options });
  const list = await storedOf(endpoint).deleteCollection(call, options, selection);
  const { cost } = exchange;
  return listReply(server, wanted, { endpoint, list, metadata: listMetaOf(list), cost });
}
