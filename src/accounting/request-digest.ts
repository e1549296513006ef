// A request as accounting sees it: who asked for what, and how, without bodies and handlers. Made by the server once the
// request is known and authenticated; plain data, safe to keep.
import type { UserInfo } from "../api/user-info.ts";

export interface RequestDigest {
  readonly auditId: string;
  readonly user: UserInfo;
  readonly userAgent: string;
  /** Address of the connection's other end. */
  readonly source: string;
  readonly isResource: boolean;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Of requests that are about no resource. */
  readonly path: string;
  /** What a LIST or WATCH says of its selection and of the state it wants; "" where it says nothing. */
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: string;
  readonly continue: string;
  readonly dryRun: boolean;
  /** UIDs of how Priority and Fairness classified it; "" before it did. */
  readonly flowSchema: string;
  readonly priorityLevel: string;
}
