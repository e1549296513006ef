// Follows requests for the audit log: the policy says how closely, the backends keep the events (upstream:
// endpoints/filters/audit.go). One Trail a request; none for those that the policy leaves out.
import type { Status } from "../../api/types/meta-v1.ts";
import type { KubeObject } from "../../api/object.ts";
import type { RequestCost } from "../../api/request-cost.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { Clock } from "../../host/host.ts";
import { costAnnotations } from "./cost-annotations.ts";
import type { AuditBackend } from "./audit-backend.ts";
import type { AuditEvent, ObjectReference } from "./event.ts";
import { escapeGo } from "./go-json.ts";
import { withoutManagedFields } from "./managed-fields.ts";
import { type Level, type Policy, type Stage, levels } from "./policy.ts";
import { type RuleSubject, type Treatment, treatmentOf } from "./rule.ts";
import type { LostEvents } from "./lost-events.ts";
import { decodeUtf8 } from "../../std/utf8.ts";

/** A request as it came. */
export interface AuditedRequest extends RuleSubject {
  readonly auditId: string;
  readonly requestUri: string;
  readonly version: string;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
}

export interface AuditParts {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly backends: readonly AuditBackend[];
  readonly lost: LostEvents;
}

export class Auditor {
  /** For metrics. */
  events = 0;
  rejected = 0;
  readonly byLevel: Record<Level, number> = {
    None: 0,
    Metadata: 0,
    Request: 0,
    RequestResponse: 0,
  };
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  get lost(): LostEvents["counts"] {
    return this.#parts.lost.counts;
  }

  /** Undefined: the policy says None. */
  begin(request: AuditedRequest): Trail | undefined {
    const treatment = treatmentOf(this.#parts.policy, request);
    this.byLevel[treatment.level] += 1;
    if (treatment.level === "None") return undefined;
    return new Trail(this, this.#parts, { request, treatment });
  }

  /** Resolves when nothing waits any more. */
  async close(): Promise<void> {
    await Promise.all(this.#parts.backends.map((backend) => backend.close()));
    this.#parts.lost.close();
  }
}

/** A response that is longer is left out. Upstream: --audit-log-truncate-max-event-size. */
export const responseBytesMax: number = 10 * 1_048_576;

export class Trail {
  readonly annotations: Map<string, string> = new Map();
  readonly #auditor: Auditor;
  readonly #parts: AuditParts;
  readonly #request: AuditedRequest;
  readonly #treatment: Treatment;
  readonly #receivedAt: number;
  readonly #reference: ObjectReference | undefined;
  #impersonated: UserInfo | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #status: Partial<Status> | undefined;
  #ended = false;

  constructor(
    auditor: Auditor,
    parts: AuditParts,
    of: { readonly request: AuditedRequest; readonly treatment: Treatment },
  ) {
    this.#auditor = auditor;
    this.#parts = parts;
    this.#request = of.request;
    this.#treatment = of.treatment;
    this.#receivedAt = parts.clock.now();
    this.#reference = of.request.isResource ? referenceOf(of.request) : undefined;
  }

  /** False: the event must not be lost and is; the request is to be refused. */
  received(): boolean | Promise<boolean> {
    const kept = this.#put("RequestReceived", this.#receivedAt);
    return kept instanceof Promise ? kept.then((late) => this.#mayGoOn(late)) : this.#mayGoOn(kept);
  }

  #mayGoOn(kept: boolean): boolean {
    if (!kept) this.#auditor.rejected += 1;
    return kept;
  }

  impersonated(user: UserInfo): void {
    this.#impersonated = user;
  }

  /** What was sent: fills in what the URL did not say of the object. */
  sent(object: Readonly<KubeObject>): void {
    const reference = this.#reference;
    const { name, namespace, uid, resourceVersion } = object.metadata ?? {};
    if (reference !== undefined) {
      reference.name ||= name ?? "";
      reference.namespace ||= namespace ?? "";
      reference.uid ||= uid ?? "";
      reference.resourceVersion ||= resourceVersion ?? "";
    }
    if (!this.#reaches("Request")) return;
    const { omitManagedFields } = this.#treatment;
    this.#requestObject = escapeGo(
      JSON.stringify(omitManagedFields ? withoutManagedFields(object) : object),
    );
  }

  /** What came instead of an object: the options of a delete. */
  sentOptions(options: object): void {
    if (this.#reaches("Request")) this.#requestObject = escapeGo(JSON.stringify(options));
  }

  /** Patches are logged as they came. */
  sentPatch(patch: Uint8Array | string): void {
    if (!this.#reaches("Request")) return;
    const text = typeof patch === "string" ? patch : decodeUtf8(patch);
    this.#requestObject = escapeGo(compact(text));
  }

  get wantsResponse(): boolean {
    return this.#request.isResource && this.#reaches("RequestResponse");
  }

  /** JSON. */
  answered(body: Uint8Array | string): void {
    const text = typeof body === "string" ? body : decodeUtf8(body);
    const { omitManagedFields } = this.#treatment;
    const json = omitManagedFields
      ? JSON.stringify(withoutManagedFields(JSON.parse(text) as KubeObject))
      : compact(text);
    this.#responseObject = escapeGo(json);
  }

  /** The Status that is the answer, to a refused request or to a delete; its words belong to every level. */
  answeredStatus({ status, message, reason, details, code }: Status): void {
    this.#status = defined({ status, message, reason, details, code });
  }

  /** The head of a long-running answer leaves. A promise: the answer waits until the event is kept or lost. */
  started(code: number): Promise<unknown> | undefined {
    this.#status = { code, ...this.#status };
    return waiting(this.#put("ResponseStarted", this.#parts.clock.now()));
  }

  /** Its last byte is out, or the client gone. A promise as that of `started`. */
  complete(code: number, cost: RequestCost): Promise<unknown> | undefined {
    if (this.#ended) return undefined;
    this.#ended = true;
    this.#status = { code, ...this.#status };
    for (const [name, value] of costAnnotations(cost)) this.annotations.set(name, value);
    return waiting(this.#put("ResponseComplete", this.#parts.clock.now()));
  }

  panicked(error: string): void {
    this.#ended = true;
    this.#status = {
      code: 500,
      status: "Failure",
      reason: "InternalError",
      message: `APIServer panic'd: ${error}`,
    };
    void this.#put("Panic", this.#parts.clock.now());
  }

  #reaches(level: Level): boolean {
    return levels.indexOf(this.#treatment.level) >= levels.indexOf(level);
  }

  /** False: it is lost and must not be. */
  #put(stage: Stage, stageAt: number): boolean | Promise<boolean> {
    if (this.#treatment.omitStages.includes(stage)) return true;
    this.#auditor.events += 1;
    const event = this.#event(stage, stageAt);
    const kept = this.#parts.backends.map((backend) => backend.put(event));
    if (!kept.some((one) => one instanceof Promise)) return !kept.includes(false);
    return Promise.all(kept.map((one) => Promise.resolve(one))).then((all) => !all.includes(false));
  }

  #event(stage: Stage, stageAt: number): AuditEvent {
    const { auditId, requestUri, verb, user, sourceIps, userAgent } = this.#request;
    return {
      level: this.#treatment.level,
      auditId,
      stage,
      requestUri,
      verb,
      user,
      impersonatedUser: this.#impersonated,
      sourceIps,
      userAgent,
      objectRef: this.#reference,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      receivedAt: this.#receivedAt,
      stageAt,
      annotations: this.annotations,
    };
  }
}

function waiting(kept: boolean | Promise<boolean>): Promise<unknown> | undefined {
  return kept instanceof Promise ? kept : undefined;
}

function referenceOf(request: AuditedRequest): ObjectReference {
  const { resource, namespace, name, group, version, subresource } = request;
  return {
    resource,
    namespace,
    name,
    uid: "",
    apiGroup: group,
    apiVersion: version,
    resourceVersion: "",
    subresource,
  };
}

/** Go compacts what it embeds. */
function compact(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return JSON.stringify(json);
  }
}

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
