// Follows requests for the audit log: the policy says how closely, the sink keeps the lines (upstream:
// endpoints/filters/audit.go). One Trail a request; none for those that the policy leaves out.
import type { Status } from "../../api/types/meta-v1.ts";
import type { KubeObject } from "../../api/object.ts";
import type { RequestCost } from "../../api/request-cost.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { Clock } from "../../host/host.ts";
import { costAnnotations } from "./cost-annotations.ts";
import { type ObjectReference, eventLine } from "./event.ts";
import { escapeGo } from "./go-json.ts";
import { withoutManagedFields } from "./managed-fields.ts";
import { type Level, type Policy, type Stage, levels } from "./policy.ts";
import { type RuleSubject, type Treatment, treatmentOf } from "./rule.ts";
import type { AuditMode, AuditSink } from "./audit-sink.ts";

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
  readonly sink: AuditSink;
  readonly mode: AuditMode;
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

  get lost(): AuditSink["lost"] {
    return this.#parts.sink.lost;
  }

  /** Undefined: the policy says None. */
  begin(request: AuditedRequest): Trail | undefined {
    const treatment = treatmentOf(this.#parts.policy, request);
    this.byLevel[treatment.level] += 1;
    if (treatment.level === "None") return undefined;
    return new Trail(this, this.#parts, { request, treatment });
  }

  close(): void {
    this.#parts.sink.close();
  }
}

const utf8 = new TextDecoder();
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

  /** False: the line must not be lost and is; the request is to be refused. */
  received(): boolean {
    const kept = this.#put("RequestReceived", this.#receivedAt);
    if (kept || this.#parts.mode !== "blocking-strict") return true;
    this.#auditor.rejected += 1;
    return false;
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
    const text = typeof patch === "string" ? patch : utf8.decode(patch);
    this.#requestObject = escapeGo(compact(text));
  }

  get wantsResponse(): boolean {
    return this.#request.isResource && this.#reaches("RequestResponse");
  }

  /** JSON. */
  answered(body: Uint8Array | string): void {
    const text = typeof body === "string" ? body : utf8.decode(body);
    const { omitManagedFields } = this.#treatment;
    const json = omitManagedFields
      ? JSON.stringify(withoutManagedFields(JSON.parse(text) as KubeObject))
      : compact(text);
    this.#responseObject = escapeGo(json);
  }

  /** A refusal's Status; its words belong to every level. */
  refused({ status, message, reason, details, code }: Status): void {
    this.#status = defined({ status, message, reason, details, code });
  }

  /** The head of a long-running answer leaves. */
  started(code: number): void {
    this.#status ??= { code };
    this.#put("ResponseStarted", this.#parts.clock.now());
  }

  /** Its last byte is out, or the client gone. */
  complete(code: number, cost: RequestCost): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#status ??= { code };
    for (const [name, value] of costAnnotations(cost)) this.annotations.set(name, value);
    this.#put("ResponseComplete", this.#parts.clock.now());
  }

  panicked(error: string): void {
    this.#ended = true;
    this.#status = {
      code: 500,
      status: "Failure",
      reason: "InternalError",
      message: `APIServer panic'd: ${error}`,
    };
    this.#put("Panic", this.#parts.clock.now());
  }

  #reaches(level: Level): boolean {
    return levels.indexOf(this.#treatment.level) >= levels.indexOf(level);
  }

  #put(stage: Stage, stageAt: number): boolean {
    if (this.#treatment.omitStages.includes(stage)) return true;
    this.#auditor.events += 1;
    const request = this.#request;
    return this.#parts.sink.put(
      eventLine({
        level: this.#treatment.level,
        auditId: request.auditId,
        stage,
        requestUri: request.requestUri,
        verb: request.verb,
        user: request.user,
        impersonatedUser: this.#impersonated,
        sourceIps: request.sourceIps,
        userAgent: request.userAgent,
        objectRef: this.#reference,
        responseStatus: this.#status,
        requestObject: this.#requestObject,
        responseObject: this.#responseObject,
        receivedAt: this.#receivedAt,
        stageAt,
        annotations: this.annotations,
      }),
    );
  }
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
