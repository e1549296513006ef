// Admission attributes for the tests of access: a resource of the schema, an object, a user.
import type { AdmissionAttributes } from "../api/admission-attributes.ts";
import type { KubeObject } from "../api/object.ts";
import { schema } from "../api/schema/schema.ts";
import type { UserInfo } from "../api/user-info.ts";
import { assert } from "../std/assert.ts";
import { qualified } from "../api/meta/errors.ts";

/** `resource` as `pods` or `roles.rbac.authorization.k8s.io`. */
export function admissionCall(
  operation: AdmissionAttributes["operation"],
  resource: string,
  object: KubeObject | undefined,
  rest: Partial<AdmissionAttributes> = {},
): AdmissionAttributes {
  const found = schema.resources.find(
    (known) => qualified(known.group, known.resource) === resource,
  );
  assert(found !== undefined, `no such resource: ${resource}`);
  const user: UserInfo = { name: "u", uid: "", groups: ["system:authenticated"], extra: {} };
  return {
    operation,
    resource: found,
    subresource: "",
    kind: found,
    namespace: found.namespaced ? (object?.metadata.namespace ?? "ns") : "",
    name: object?.metadata.name ?? "",
    object,
    oldObject: undefined,
    user,
    dryRun: false,
    warn: () => undefined,
    ...rest,
  };
}

/** What a refusal says, or undefined when the step let the call pass. */
export async function refusalOf(
  step: (attributes: AdmissionAttributes) => void | Promise<void>,
  attributes: AdmissionAttributes,
): Promise<{ code: number; message: string; causes?: unknown } | undefined> {
  try {
    await step(attributes);
    return undefined;
  } catch (error) {
    const { status } = error as {
      status: { code: number; message: string; details?: { causes?: unknown } };
    };
    const causes = status.details?.causes;
    return {
      code: status.code,
      message: status.message,
      ...(causes === undefined ? {} : { causes }),
    };
  }
}
