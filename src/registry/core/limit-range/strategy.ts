// A LimitRange that says no name is called by its uid (upstream: core/limitrange/strategy.go).
import { plainStrategy, type Strategy } from "../../strategy.ts";

export const limitRangeStrategy: Strategy = {
  ...plainStrategy,
  createsOnUpdate: true,
  prepareForCreate: ({ metadata }) => {
    metadata.name ||= metadata.uid ?? "";
  },
};
