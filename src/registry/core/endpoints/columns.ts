// How endpoints are printed.
import type { Endpoints } from "../../../api/types/core-v1.ts";
import { someOf } from "../../table/cell-text.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const endpointsPrinter: Printer = printer<Endpoints>([
  nameColumn,
  text("Endpoints", "Addresses and ports that are ready", endpointsText),
  ageColumn,
]);

function endpointsText({ subsets }: Endpoints): string {
  if (!subsets?.length) return "<none>";
  const addresses = subsets.flatMap((subset) => {
    const ips = (subset.addresses ?? []).map(({ ip }) => ip);
    if (!subset.ports?.length) return ips;
    return subset.ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, port)));
  });
  return someOf(addresses, "");
}

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
