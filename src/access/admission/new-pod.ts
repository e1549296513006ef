// Whether a request makes a pod: what most admission steps ask first.
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";

export function isNewPod({ operation, resource, subresource }: AdmissionAttributes): boolean {
  return (
    operation === "CREATE" &&
    subresource === "" &&
    resource.group === "" &&
    resource.resource === "pods"
  );
}
