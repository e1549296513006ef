// For tests of this folder: requests as the server would hand them in, with everything that a test does not care about
// filled in.
import { type RequestCost, uncounted } from "../api/request-cost.ts";
import type { FinishedRequest } from "./accountant.ts";
import { type Counts, counterNames, countsOf, loadOf } from "./ledger/counters.ts";
import type { LedgerRow } from "./ledger/ledger-row.ts";
import type { Client, Shape } from "./ledger/shape.ts";
import type { RequestDigest } from "./request-digest.ts";

export function digest(
  more: Partial<RequestDigest> & { readonly as?: string } = {},
): RequestDigest {
  const { as = "ann", ...rest } = more;
  return {
    auditId: "id",
    user: { name: as, uid: "", groups: ["system:authenticated"], extra: {} },
    userAgent: "agent/1",
    source: "10.0.0.1",
    isResource: true,
    verb: "list",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "",
    name: "",
    path: "",
    labelSelector: "",
    fieldSelector: "",
    resourceVersion: "",
    resourceVersionMatch: "",
    limit: "",
    continue: "",
    dryRun: false,
    flowSchema: "",
    priorityLevel: "",
    ...rest,
  };
}

export function cost(
  more: Partial<Omit<RequestCost, "resume" | "suspend" | "addRead">> = {},
): RequestCost {
  return Object.assign(uncounted(), more);
}

export function finished(
  of: Partial<RequestDigest> & { readonly as?: string } = {},
  answer: Partial<Omit<FinishedRequest, "digest">> = {},
): FinishedRequest {
  return {
    digest: digest(of),
    cost: cost(),
    status: 200,
    latencyMs: 1,
    retryAfterSeconds: 0,
    ...answer,
  };
}

const shape: Shape = {
  verb: "list",
  group: "",
  resource: "pods",
  subresource: "",
  namespaced: false,
  labelSelector: "",
  fieldSelector: "",
  resourceVersion: "any",
  limit: "",
  path: "",
};

const client: Client = {
  user: "ann",
  userAgent: "agent/1",
  source: "10.0.0.1",
  flowSchema: "",
  priorityLevel: "",
  exempt: false,
};

/** A row whose total is its window. */
export function row(
  of: {
    readonly client?: Partial<Client>;
    readonly shape?: Partial<Shape>;
    readonly counts?: Partial<Counts>;
  } & Partial<Pick<LedgerRow, "watchesOpen" | "peakPerSecond">> = {},
): LedgerRow {
  const none = countsOf(new Float64Array(counterNames.length));
  const window = { ...none, ...of.counts };
  return {
    client: { ...client, ...of.client },
    shape: { ...shape, ...of.shape },
    window,
    total: window,
    watchesOpen: of.watchesOpen ?? 0,
    peakPerSecond: of.peakPerSecond ?? 0,
    load: loadOf(window),
    loadBefore: 0,
  };
}
