// Tokens that a kubelet asks for: bound to a pod of its own, for an audience that the pod mounts or that the node is
// granted (upstream: noderestriction admitServiceAccount).
import type { KubeObject } from "../../api/object.ts";
import type { TokenRequestSpec } from "../../api/types/authentication-v1.ts";
import type { PodSpec, Volume } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { NodeCall } from "./node-call.ts";
import { refuse } from "./refusal.ts";

export async function checkNodeToken(call: NodeCall): Promise<void> {
  const { node, attributes, reader } = call;
  const { operation, subresource, namespace, object } = attributes;
  if (operation !== "CREATE" || subresource !== "token") return;
  const spec = (object?.["spec"] ?? {}) as TokenRequestSpec;
  const { apiVersion, kind, name = "", uid = "" } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || name === "")
    throw refuse(attributes, "node requested token not bound to a pod");
  if (uid === "") throw refuse(attributes, "node requested token with a pod binding without a uid");
  const pod = await reader.findFresh("pods", namespace, name);
  // Without one the request itself will say so.
  if (pod === undefined) return;
  if (pod.metadata.uid !== uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw refuse(attributes, why);
  }
  const podSpec = (pod["spec"] ?? {}) as PodSpec;
  if (podSpec.nodeName !== node)
    throw refuse(attributes, "node requested token bound to a pod scheduled on a different node");
  await checkAudience(call, pod, spec.audiences ?? []);
}

async function checkAudience(
  { attributes, reader, authorizer }: NodeCall,
  pod: Readonly<KubeObject>,
  audiences: readonly string[],
): Promise<void> {
  if (audiences.length > 1) throw refuse(attributes, "node may only request 0 or 1 audiences");
  const [audience = ""] = audiences;
  const { user, namespace, name } = attributes;
  const volumes = (pod["spec"] as PodSpec | undefined)?.volumes ?? [];
  const asksFor = (volume: Volume): boolean =>
    mounted(volume).includes(audience) ||
    ofDriver(reader, driverOf(reader, pod, volume)).includes(audience);
  if (volumes.some(asksFor)) return;
  const { allowed } = await authorizer.authorize({
    user,
    verb: "request-serviceaccounts-token-audience",
    request: {
      kind: "Resource",
      group: "",
      version: "v1",
      resource: audience,
      subresource: "",
      namespace,
      name,
    },
  });
  if (allowed) return;
  const why = `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
  throw refuse(attributes, why);
}

function mounted({ projected }: Volume): string[] {
  return (projected?.sources ?? []).flatMap(({ serviceAccountToken }) =>
    serviceAccountToken === undefined ? [] : [serviceAccountToken.audience ?? ""],
  );
}

/** "" for a volume that no CSI driver serves. */
function driverOf(
  reader: ObjectReader,
  { metadata }: Readonly<KubeObject>,
  volume: Volume,
): string {
  if (volume.csi !== undefined) return volume.csi.driver;
  const claimName =
    volume.persistentVolumeClaim?.claimName ??
    (volume.ephemeral === undefined ? "" : `${metadata.name ?? ""}-${volume.name}`);
  if (claimName === "") return "";
  const claim = reader.find("persistentvolumeclaims", metadata.namespace ?? "", claimName);
  const { volumeName = "" } = (claim?.["spec"] ?? {}) as { volumeName?: string };
  const spec = reader.find("persistentvolumes", "", volumeName)?.["spec"];
  return (spec as { csi?: { driver?: string } } | undefined)?.csi?.driver ?? "";
}

/** Tokens that a CSI driver wants handed over with each mount. */
function ofDriver(reader: ObjectReader, driver: string): string[] {
  if (driver === "") return [];
  const spec = reader.find("csidrivers.storage.k8s.io", "", driver)?.["spec"];
  const { tokenRequests = [] } = (spec ?? {}) as { tokenRequests?: { audience?: string }[] };
  return tokenRequests.map(({ audience = "" }) => audience);
}
