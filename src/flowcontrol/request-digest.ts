// All that flow control knows of a request: who sends it and what it asks for, never its body.
import type { UserInfo } from "../api/user-info.ts";

export interface RequestDigest {
  readonly user: UserInfo;
  readonly isResource: boolean;
  /** Of requests that name no resource. */
  readonly path: string;
  /** For non-resource requests the lower-case method. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** "" for none. */
  readonly namespace: string;
  readonly name: string;
}

/** Verbs that change nothing; upstream's nonMutatingRequestVerbs. */
export function isReadOnly(verb: string): boolean {
  return verb === "get" || verb === "list" || verb === "watch" || verb === "head";
}
