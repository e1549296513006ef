// An audit event as JSON, with kube-apiserver's fields in kube-apiserver's order.
import type { UserInfo } from "../../api/user-info.ts";
import type { Status } from "../../api/types/meta-v1.ts";
import { microTimestamp } from "../../api/meta/timestamp.ts";
import { goJson } from "./go-json.ts";
import type { Level, Stage } from "./policy.ts";

export interface ObjectReference {
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  apiGroup: string;
  apiVersion: string;
  resourceVersion: string;
  subresource: string;
}

export interface AuditEvent {
  readonly level: Level;
  readonly auditId: string;
  readonly stage: Stage;
  readonly requestUri: string;
  readonly verb: string;
  readonly user: UserInfo;
  readonly impersonatedUser: UserInfo | undefined;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly objectRef: Readonly<ObjectReference> | undefined;
  readonly responseStatus: Partial<Status> | undefined;
  /** JSON text. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** clock.now ms. */
  readonly receivedAt: number;
  readonly stageAt: number;
  readonly annotations: ReadonlyMap<string, string>;
}

const agentLengthMax = 1024;
const truncated = "...TRUNCATED";

/** As it stands in the log. */
export function eventLine(event: AuditEvent): string {
  return `{"kind":"Event","apiVersion":"audit.k8s.io/v1",${eventItem(event).slice(1)}`;
}

/** As an item of a list, which says for all of them what they are. */
export function eventItem(event: AuditEvent): string {
  const { userAgent } = event;
  const agent =
    userAgent.length > agentLengthMax ? userAgent.slice(0, agentLengthMax) + truncated : userAgent;
  const head = goJson({
    level: event.level,
    auditID: event.auditId,
    stage: event.stage,
    requestURI: event.requestUri,
    verb: event.verb,
    user: userOf(event.user),
    impersonatedUser: event.impersonatedUser && userOf(event.impersonatedUser),
    sourceIPs: event.sourceIps.length === 0 ? undefined : event.sourceIps,
    userAgent: agent === "" ? undefined : agent,
    objectRef: event.objectRef && withoutEmpty(event.objectRef),
    responseStatus: event.responseStatus && statusOf(event.responseStatus),
  });
  const objects =
    rawField("requestObject", event.requestObject) +
    rawField("responseObject", event.responseObject);
  const tail = goJson({
    requestReceivedTimestamp: microTimestamp(event.receivedAt),
    stageTimestamp: microTimestamp(event.stageAt),
    annotations: event.annotations.size === 0 ? undefined : sorted(event.annotations),
  });
  return `${head.slice(0, -1)}${objects},${tail.slice(1)}`;
}

/** What a webhook is sent; the items are JSON. */
export function eventList(items: readonly string[]): string {
  return `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join(",")}]}\n`;
}

function rawField(name: string, json: string | undefined): string {
  return json === undefined ? "" : `,"${name}":${json}`;
}

function userOf({ name, uid, groups, extra }: UserInfo): object {
  const hasExtra = Object.keys(extra).length > 0;
  return {
    username: name === "" ? undefined : name,
    uid: uid === "" ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: hasExtra ? sorted(new Map(Object.entries(extra))) : undefined,
  };
}

function withoutEmpty(reference: Readonly<ObjectReference>): object {
  const { resource, namespace, name, uid, apiGroup, apiVersion, ...rest } = reference;
  const ordered = { resource, namespace, name, uid, apiGroup, apiVersion, ...rest };
  return Object.fromEntries(Object.entries(ordered).filter(([, value]) => value !== ""));
}

function statusOf({ status, message, reason, details, code }: Partial<Status>): object {
  return { metadata: {}, status, message, reason, details, code };
}

/** Go prints maps by key. */
function sorted(entries: ReadonlyMap<string, unknown>): object {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
