// What admission sees of a write (upstream: admission.Attributes). `mutate` may change `object` in place; everything
// else is read-only. Admission refuses by throwing a StatusError.
import type { KubeObject } from "./object.ts";
import type { GroupVersionKind, ResourceSchema } from "./schema/schema.ts";
import type { UserInfo } from "./user-info.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: ResourceSchema;
  /** "" for the resource itself. */
  readonly subresource: string;
  /** Of the object sent, e.g. autoscaling/v1 Scale for deployments/scale. */
  readonly kind: GroupVersionKind;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  /** May still be "" for CREATE with generateName. */
  readonly name: string;
  /** Undefined for DELETE. */
  readonly object: KubeObject | undefined;
  /** Undefined for CREATE. */
  readonly oldObject: Readonly<KubeObject> | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Adds a `Warning` header line to the answer. */
  warn(text: string): void;
}

/** The chain of admission plugins: every mutation runs before any validation. A promise where somebody is waited for. */
export interface Admission {
  mutate(attributes: AdmissionAttributes): void | Promise<void>;
  validate(attributes: AdmissionAttributes): void | Promise<void>;
}

/** For the server's own writes. */
export const admitAll: Admission = {
  mutate: () => {},
  validate: () => {},
};
