// One request on its way through the chain: what was asked, by whom, and what the answer must mention. Filters fill it
// in the order of chain.ts; it is dropped with the answer (watches keep nothing of it).
import type { Trail } from "../accounting/audit/auditor.ts";
import type { HttpRequest } from "../host/http.ts";
import { type LoopMeter, RequestCost } from "../api/request-cost.ts";
import type { UserInfo } from "../api/user-info.ts";
import type { Flow, FlowPass } from "../flowcontrol/flow-pass.ts";
import type { Query } from "./query.ts";
import type { RequestInfo } from "./request-info.ts";

const none: readonly string[] = [];
const nobody: UserInfo = { name: "", uid: "", groups: [], extra: {} };

export class Exchange {
  readonly request: HttpRequest;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly cost: RequestCost;
  readonly auditId: string;
  /** Whoever the request acts as: authenticated, perhaps impersonated. */
  user: UserInfo = nobody;
  /** Set when the path leads to one of our resources: then its words may become metric labels. */
  known = false;
  dryRun = false;
  /** Of the audit log; undefined: it is not followed. */
  trail: Trail | undefined;
  /** Milliseconds the server gives it, undefined for long-running ones. */
  timeoutMs: number | undefined;
  /** Set by flow control, also when it refuses. */
  flow: Flow | undefined;
  /** To be left when the work is done. */
  pass: FlowPass | undefined;
  /** It was answered that it took too long, while its work goes on. */
  abandoned = false;
  #warnings: string[] | undefined;

  constructor(
    request: HttpRequest,
    read: {
      readonly info: RequestInfo;
      readonly query: Query;
      readonly auditId: string;
      readonly meter: LoopMeter;
    },
  ) {
    this.request = request;
    this.info = read.info;
    this.query = read.query;
    this.auditId = read.auditId;
    this.cost = new RequestCost(read.meter);
  }

  /** Bound, so that it can be handed to registries and admission as it is. */
  readonly warn = (text: string): void => {
    if (text === "") return;
    this.#warnings ??= [];
    if (!this.#warnings.includes(text)) this.#warnings.push(text);
  };

  get warnings(): readonly string[] {
    return this.#warnings ?? none;
  }

  get accept(): string | undefined {
    return this.request.headers["accept"];
  }

  get userAgent(): string {
    return this.request.headers["user-agent"] ?? "";
  }
}
