// How ingresses are printed.
import type { Ingress } from "../../../api/types/networking-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";
import { loadBalancerAddresses } from "../../table/load-balancer.ts";

export const ingressPrinter: Printer = printer<Ingress>([
  nameColumn,
  text("Class", "Class that says who serves it", ({ spec }) => spec?.ingressClassName ?? "<none>"),
  text("Hosts", "Host names it matches", hostsText),
  text("Address", "Addresses of the load balancers", ({ status }) =>
    loadBalancerAddresses(status?.loadBalancer?.ingress).join(","),
  ),
  text("Ports", "Ports it is served on", ({ spec }) => (spec?.tls?.length ? "80, 443" : "80")),
  ageColumn,
]);

const hostsShownMax = 3;

/** The rest is counted in rules, not in hosts, once the shown ones are full. */
function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === hostsShownMax) more = true;
    else if (host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  const shown = hosts.join(",");
  return more ? `${shown} + ${rules.length - hostsShownMax} more...` : shown;
}
