// What load balancers answer at, as Services and Ingresses show it.

/** Distinct addresses, or host names where there is no address, sorted. */
export function loadBalancerAddresses(
  ingress: readonly { readonly ip?: string; readonly hostname?: string }[] | undefined,
): string[] {
  const addresses = (ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [...new Set(addresses)].filter((address) => address !== "").sort();
}
