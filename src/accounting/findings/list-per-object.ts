// A LIST, and after it a watch, for each single object: so start kubelets that boot, once for each Secret and ConfigMap
// that their pods name. Watches that are opened anew need no LIST and are not counted.
import { type Verdict, many } from "./finding.ts";
import type { Pattern } from "./pattern.ts";

const listsMin = 500;

export function listPerObject({ shape, counts, members }: Pattern): Verdict | undefined {
  if (shape.verb !== "list" || shape.fieldSelector !== "metadata.name=?") return undefined;
  if (counts.requests < listsMin) return undefined;
  const by = members === 1 ? "one client" : `${many(members)} clients`;
  return {
    id: "list-per-object",
    howMuch: `${many(counts.requests)} LISTs of one object each, by ${by}`,
    change:
      "boot nodes a few at a time, and make Secrets and ConfigMaps immutable: kubelets then keep no watch of them; other programs use one informer for the namespace",
  };
}
