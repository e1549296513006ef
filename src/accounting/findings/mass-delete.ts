// Very many objects deleted in a short time: each is a write to the store, and an event to everybody who watches the kind.
import { type Verdict, many } from "./finding.ts";
import type { Pattern } from "./pattern.ts";

const deletesMin = 500;
/** The control plane's own collectors finish what others began: what to change is not in them. */
const collectors = /^system:(serviceaccount:kube-system:|kube-controller-manager$)/;

export function massDelete({ client, shape, counts }: Pattern): Verdict | undefined {
  if (shape.verb !== "delete" && shape.verb !== "deletecollection") return undefined;
  if (counts.storeWrites < deletesMin || collectors.test(client.user)) return undefined;
  const requests = counts.requests === 1 ? "1 request" : `${many(counts.requests)} requests`;
  return {
    id: "mass-delete",
    howMuch: `${many(counts.storeWrites)} objects deleted by ${requests}`,
    change:
      "delete a few a second (client-go's usual limit is 5), or delete what owns them and leave the rest to the garbage collector; check that the selector means no more than it should",
  };
}
