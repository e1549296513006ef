// How nodes are printed.
import type { Node } from "../../../api/types/core-v1.ts";
import {
  ageColumn,
  type Column,
  nameColumn,
  type Printer,
  printer,
  text,
  wide,
} from "../../table/column.ts";

export const nodePrinter: Printer = printer<Node>([
  nameColumn,
  text("Status", "Whether the node is ready and takes pods", statusText),
  text("Roles", "Roles by the node's labels", rolesText),
  ageColumn,
  text(
    "Version",
    "Version of the node's kubelet",
    ({ status }) => status?.nodeInfo?.kubeletVersion ?? "",
  ),
  addressColumn("Internal-IP", "Address inside the cluster", "InternalIP"),
  addressColumn("External-IP", "Address outside the cluster", "ExternalIP"),
  wide(text("OS-Image", "Operating system", ({ status }) => status?.nodeInfo?.osImage || unknown)),
  wide(
    text("Kernel-Version", "Kernel", ({ status }) => status?.nodeInfo?.kernelVersion || unknown),
  ),
  wide(
    text(
      "Container-Runtime",
      "Container runtime and its version",
      ({ status }) => status?.nodeInfo?.containerRuntimeVersion || unknown,
    ),
  ),
]);

const unknown = "<unknown>";
const rolePrefix = "node-role.kubernetes.io/";

function addressColumn(name: string, description: string, addressType: string): Column<Node> {
  return wide(
    text(
      name,
      description,
      ({ status }) =>
        status?.addresses?.find(({ type }) => type === addressType)?.address ?? "<none>",
    ),
  );
}

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

function rolesText({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  const distinct = new Set(roles.filter((role) => role !== ""));
  return [...distinct].sort().join(",") || "<none>";
}
