// APIServices that name no service are this server's own and available from the start
// (upstream: kube-aggregator/pkg/registry/apiservice/strategy.go).
import type { APIServiceSpec } from "../../../api/types/apiregistration-v1.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";
import { timestamp } from "../../../api/meta/timestamp.ts";

export const apiServiceStrategy: Strategy = {
  ...plainStrategy,
  statusMetadata: "FromStored",
  unconditionalUpdate: false,
  prepareForCreate: (object, { now }) => {
    const { service } = (object["spec"] ?? {}) as Partial<APIServiceSpec>;
    if (service !== undefined && service !== null) return;
    const condition = {
      type: "Available",
      status: "True",
      lastTransitionTime: timestamp(now),
      reason: "Local",
      message: "Local APIServices are always available",
    };
    object["status"] = { conditions: [condition] };
  },
};
