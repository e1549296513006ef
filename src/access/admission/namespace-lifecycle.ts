// NamespaceLifecycle: nothing new in namespaces that are missing or going away, and the system's own namespaces stay
// (upstream: plugin/namespace/lifecycle).
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { forbidden, notFound } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { NamespaceStatus } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";
import { refuse } from "./refusal.ts";

const immortal: readonly string[] = ["default", "kube-system", "kube-public"];
const namespaces = { group: "", resource: "namespaces" };

/** For both halves of the chain: deletions may only see the validating one. */
export function namespaceLifecycle(reader: ObjectReader): AdmissionStep {
  return (attributes) => {
    const { operation, resource, subresource, namespace, name } = attributes;
    if (resource.group === "" && resource.resource === "namespaces") {
      const refused = operation === "DELETE" && subresource === "" && immortal.includes(name);
      if (refused) throw forbidden(namespaces, name, "this namespace may not be deleted");
      return undefined;
    }
    if (namespace === "" || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
    if (resource.resource === "localsubjectaccessreviews") return undefined;
    const cached = reader.find("namespaces", "", namespace);
    if (cached !== undefined) return checkPhase(attributes, cached);
    return checkFresh(reader, attributes);
  };
}

/** The namespace may have been made a moment ago by another server on the same store. */
async function checkFresh(reader: ObjectReader, attributes: AdmissionAttributes): Promise<void> {
  const fresh = await reader.findFresh("namespaces", "", attributes.namespace);
  if (fresh === undefined) throw notFound(namespaces, attributes.namespace);
  checkPhase(attributes, fresh);
}

function checkPhase(attributes: AdmissionAttributes, found: Readonly<KubeObject>): void {
  if (attributes.operation !== "CREATE") return;
  const phase = (found["status"] as NamespaceStatus | undefined)?.phase;
  if (phase !== "Terminating") return;
  const { namespace } = attributes;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  throw refuse(attributes, why, [
    { reason: "NamespaceTerminating", message, field: "metadata.namespace" },
  ]);
}
