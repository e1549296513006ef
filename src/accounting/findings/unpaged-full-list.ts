// A LIST of a whole large collection in one answer: the server and its memory carry all of it at once.
import { type Verdict, many } from "./finding.ts";
import { type Pattern, returnedEach } from "./pattern.ts";

/** Objects in one answer from which it is large; client-go pages by so many. */
const largeObjects = 500;

export function unpagedFullList(pattern: Pattern): Verdict | undefined {
  const { shape, counts } = pattern;
  const whole = shape.labelSelector === "" && shape.fieldSelector === "" && shape.limit === "";
  if (shape.verb !== "list" || !whole || shape.resourceVersion === "continue") return undefined;
  const each = returnedEach(pattern);
  if (each <= largeObjects) return undefined;
  return {
    id: "unpaged-full-list",
    howMuch: `${many(counts.requests)} times ${many(each)} objects, ${many(counts.bytesOut / 1e6)} MB in all`,
    change:
      "ask in pages (limit=500 and continue), or keep an informer: one list, then a watch that only sends changes",
  };
}
