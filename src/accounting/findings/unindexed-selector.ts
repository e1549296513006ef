// A selector that no index answers: the server looks at everything to return a little.
import { type Verdict, many } from "./finding.ts";
import { type Pattern, returnedEach, scannedEach } from "./pattern.ts";

const scannedMin = 500;
const scannedPerReturned = 10;

export function unindexedSelector(pattern: Pattern): Verdict | undefined {
  const { shape, counts } = pattern;
  if (shape.verb !== "list") return undefined;
  if (shape.labelSelector === "" && shape.fieldSelector === "") return undefined;
  const scanned = scannedEach(pattern);
  const returned = returnedEach(pattern);
  if (scanned < scannedMin || scanned < returned * scannedPerReturned) return undefined;
  return {
    id: "unindexed-selector",
    howMuch: `${many(counts.requests)} times ${many(scanned)} objects looked at for ${many(returned)} returned`,
    change:
      "select by something indexed (pods: spec.nodeName; everything: namespace, metadata.name), or keep one informer and filter in the program",
  };
}
