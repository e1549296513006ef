// A file of measured costs, as `npm run calibrate` writes it, for use in any scenario.
import { readCheckedYaml } from "../api/codec/checked-yaml.ts";
import type { CostChanges } from "./cost-profile.ts";
import { costFileSchema } from "./cost-schema.ts";

export interface CostFile {
  readonly name: string;
  /** `1.30` or `wavetank`. */
  readonly profile: string;
  readonly costs: CostChanges;
}

/** `source`: how errors call the file. Throws CheckedYamlError. */
export function parseCostFile(text: string, source: string): CostFile {
  const rules = { schema: costFileSchema, set: [], meaning: () => [] };
  return readCheckedYaml(text, source, rules) as CostFile;
}
