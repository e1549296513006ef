// LIST: options in, a page of stored bytes out.
import { checkListOptions, readListOptions } from "../../api/meta/list-options.ts";
import { listMetaOf, listReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import { namespaceOf } from "../write-call.ts";

export async function listObjects({ server, exchange, endpoint }: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const options = readListOptions(exchange.query);
  checkListOptions(options, "list");
  const { cost } = exchange;
  const { clock } = server.host;
  cost.suspend(clock.monotonic());
  // Many that were let in at once would otherwise all run before anybody else is heard.
  if (server.inFlight.busy) await clock.turn();
  const list = await storedOf(endpoint).list(namespaceOf(endpoint, exchange), options);
  cost.resume(clock.monotonic());
  cost.addRead(list.cost);
  return listReply(server, wanted, { endpoint, list, metadata: listMetaOf(list), cost });
}
