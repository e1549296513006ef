// What a review is: a POST that is answered and forgotten. The server decodes and encodes; a review sees one object and
// who sent it.
import type { KubeObject } from "../../api/object.ts";
import type { UserInfo } from "../../api/user-info.ts";

export interface ReviewCall {
  readonly user: UserInfo;
  /** "" for cluster-scoped ones. */
  readonly namespace: string;
  /** The parent's name for a subresource, else "". */
  readonly name: string;
  readonly dryRun: boolean;
}

export interface Review {
  /** The object sent, with `status` filled. Throws StatusError. */
  review(object: KubeObject, call: ReviewCall): Promise<KubeObject>;
}
