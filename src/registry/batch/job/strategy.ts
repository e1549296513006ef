// Jobs select their pods by their own uid, and for old clients' sake leave them behind when deleted without a word about
// dependents (upstream: batch/job/strategy.go).
import { defaultJobSelector } from "../../../api/defaults/batch-defaults.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";

export const jobStrategy: Strategy = {
  ...plainStrategy,
  generation: "OnChange",
  dependents: "Orphan",
  orphanWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  prepareForCreate: (object) => defaultJobSelector(object, object.metadata.uid ?? ""),
};
