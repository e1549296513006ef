// How services are printed.
import type { Service, ServicePort, ServiceSpec } from "../../../api/types/core-v1.ts";
import { labelsText } from "../../table/cell-text.ts";
import { ageColumn, nameColumn, type Printer, printer, text, wide } from "../../table/column.ts";
import { loadBalancerAddresses } from "../../table/load-balancer.ts";

export const servicePrinter: Printer = printer<Service>([
  nameColumn,
  text("Type", "How the service is exposed", ({ spec }) => spec?.type ?? ""),
  text("Cluster-IP", "First address inside the cluster", ({ spec }) => clusterIp(spec)),
  text("External-IP", "Addresses outside the cluster", externalIp),
  text("Port(s)", "Ports, with node ports where there are any", ({ spec }) => ports(spec)),
  ageColumn,
  wide(text("Selector", "Labels of the pods behind it", ({ spec }) => labelsText(spec?.selector))),
]);

function clusterIp(spec: ServiceSpec | undefined): string {
  return spec?.clusterIPs?.[0] ?? "<none>";
}

function externalIp({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return (
        [...loadBalancerAddresses(status?.loadBalancer?.ingress), ...external].join(",") ||
        "<pending>"
      );
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function ports(spec: ServiceSpec | undefined): string {
  return (spec?.ports ?? []).map(portText).join(",") || "<none>";
}

function portText({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}
