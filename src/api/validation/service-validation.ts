// Validation of services: ports, addresses, traffic policies, and the addresses that stay once given (upstream:
// pkg/apis/core/validation/validation.go, ValidateService). Whether an address or node port is free is an allocator's matter.
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type { Service, ServicePort, ServiceSpec } from "../types/core-v1.ts";
import { checkOneOf, checkOptionalOneOf, checkText, invalidEach } from "./checks.ts";
import { protocols } from "./container-validation.ts";
import { checkCIDR, checkIP, checkNotSpecialIP, ipFamily } from "./ip-rules.ts";
import { validateLabels } from "./metadata.ts";
import { dns1123Label, dns1123Subdomain, portNumber, qualifiedName } from "./names.ts";
import { checkPortNumberOrName } from "./probe-validation.ts";

const affinities = ["ClientIP", "None"];
const serviceTypes = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const trafficPolicies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameNode", "PreferSameZone"];
const ipFamilies = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const affinitySecondsMax = 86_400;
const notForExternalName = "may not be set for ExternalName services";
const onlyForLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
const staysOnceSet = "may not change once set";

export function validateService(service: Service, errors: FieldError[]): void {
  const spec = service.spec ?? {};
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== "ExternalName") {
    errors.push(required("spec.ports"));
  }
  validateByType(spec, errors);
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    validatePort(port, `spec.ports[${i}]`, { errors, names, isOneOfMany: ports.length > 1 });
  }
  validateLabels(spec.selector, "spec.selector", errors);
  validateSessionAffinity(spec, errors);
  validateClusterIPs(spec, errors);
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
    const bad = checkIP(`spec.externalIPs[${i}]`, ip);
    errors.push(...(bad.length > 0 ? bad : checkNotSpecialIP(`spec.externalIPs[${i}]`, ip)));
  }
  errors.push(...checkOneOf("spec.type", spec.type, serviceTypes));
  validatePortUniqueness(spec, errors);
  validateLoadBalancer(spec, errors);
  validateTrafficPolicies(spec, errors);
}

export function validateServiceUpdate(service: Service, old: Service, errors: FieldError[]): void {
  const before = old.spec ?? {};
  const after = service.spec ?? {};
  // Leaving or entering ExternalName frees the addresses.
  if (before.type !== "ExternalName" && after.type !== "ExternalName") {
    checkKept(after, before, { key: "clusterIPs", errors });
    checkKept(after, before, { key: "ipFamilies", errors });
  }
  const classChanged = (before.loadBalancerClass ?? "") !== (after.loadBalancerClass ?? "");
  if (before.type === "LoadBalancer" && after.type === "LoadBalancer" && classChanged) {
    const value = after.loadBalancerClass ?? null;
    errors.push(invalidValue("spec.loadBalancerClass", value, staysOnceSet));
  }
  const port = after.healthCheckNodePort ?? 0;
  if (needsHealthCheck(before) && needsHealthCheck(after) && port !== before.healthCheckNodePort) {
    errors.push(forbiddenField("spec.healthCheckNodePort", "field is immutable"));
  }
  validateService(service, errors);
}

function isHeadless(spec: ServiceSpec): boolean {
  return (spec.clusterIPs?.[0] ?? spec.clusterIP) === "None";
}

function needsHealthCheck(spec: ServiceSpec): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

function validateByType(spec: ServiceSpec, errors: FieldError[]): void {
  if ((spec.type === "LoadBalancer" || spec.type === "NodePort") && isHeadless(spec)) {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    errors.push(invalidValue("spec.clusterIPs[0]", "None", detail));
  }
  if (spec.type !== "ExternalName") return;
  if ((spec.clusterIPs ?? []).length > 0 || (spec.clusterIP ?? "") !== "") {
    errors.push(forbiddenField("spec.clusterIPs", notForExternalName));
  }
  if ((spec.ipFamilies ?? []).length > 0) {
    errors.push(forbiddenField("spec.ipFamilies", notForExternalName));
  }
  if (spec.ipFamilyPolicy !== undefined) {
    errors.push(forbiddenField("spec.ipFamilyPolicy", notForExternalName));
  }
  const name = spec.externalName?.replace(/\.$/, "");
  errors.push(...checkText("spec.externalName", name, dns1123Subdomain));
}

interface PortScope {
  readonly errors: FieldError[];
  readonly names: Set<string>;
  readonly isOneOfMany: boolean;
}

function validatePort(port: ServicePort, path: string, scope: PortScope): void {
  const { errors, names } = scope;
  const { name = "" } = port;
  if (name === "") {
    if (scope.isOneOfMany) errors.push(required(`${path}.name`));
  } else {
    errors.push(...invalidEach(`${path}.name`, name, dns1123Label(name)));
    if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name));
    names.add(name);
  }
  errors.push(...invalidEach(`${path}.port`, port.port, portNumber(port.port)));
  errors.push(...checkOneOf(`${path}.protocol`, port.protocol, protocols));
  errors.push(...checkPortNumberOrName(`${path}.targetPort`, port.targetPort));
  const { appProtocol } = port;
  if (appProtocol !== undefined) {
    errors.push(...invalidEach(`${path}.appProtocol`, appProtocol, qualifiedName(appProtocol)));
  }
}

function validateSessionAffinity(spec: ServiceSpec, errors: FieldError[]): void {
  const path = "spec.sessionAffinityConfig";
  errors.push(...checkOneOf("spec.sessionAffinity", spec.sessionAffinity, affinities));
  if (spec.sessionAffinity === "None" && spec.sessionAffinityConfig) {
    errors.push(forbiddenField(path, "must not be set when session affinity is None"));
  }
  if (spec.sessionAffinity !== "ClientIP") return;
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const at = `${path}.clientIP.timeoutSeconds`;
  if (seconds === undefined) {
    errors.push(required(at, "when session affinity type is ClientIP"));
  } else if (seconds <= 0 || seconds > affinitySecondsMax) {
    const detail = `must be greater than 0 and less than ${affinitySecondsMax}`;
    errors.push(invalidValue(at, seconds, detail));
  }
}

function validateClusterIPs(spec: ServiceSpec, errors: FieldError[]): void {
  if (spec.type === "ExternalName") return;
  const families = spec.ipFamilies ?? [];
  for (const [i, family] of families.entries()) {
    if (!ipFamilies.includes(family)) {
      errors.push(notSupported(`spec.ipFamilies[${i}]`, family, ipFamilies));
    } else if (families.indexOf(family) < i) {
      errors.push(duplicateValue(`spec.ipFamilies[${i}]`, family));
    }
  }
  const policyPath = "spec.ipFamilyPolicy";
  errors.push(...checkOptionalOneOf(policyPath, spec.ipFamilyPolicy, familyPolicies));
  const given = spec.clusterIPs ?? [];
  const primary = spec.clusterIP ?? "";
  const ips = given.length === 0 && primary !== "" ? [primary] : given;
  if (given.length > 0 && primary !== given[0]) {
    const detail = "first value must match `clusterIP`";
    errors.push(invalidValue("spec.clusterIPs", given, detail));
  }
  for (const [i, ip] of ips.entries()) {
    const at = `spec.clusterIPs[${i}]`;
    if (ip === "None") {
      if (i > 0 || ips.length > 1) {
        errors.push(invalidValue(at, ip, "'None' must be the first and only value"));
      }
      continue;
    }
    errors.push(...checkIP(at, ip));
    const family = families[i];
    if (family !== undefined && ipFamily(ip) !== undefined && ipFamily(ip) !== family) {
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
      errors.push(invalidValue(at, ip, detail));
    }
  }
  if (ips.length > 2) {
    errors.push(invalidValue("spec.clusterIPs", ips, "may only hold up to 2 values"));
  }
}

function validatePortUniqueness(spec: ServiceSpec, errors: FieldError[]): void {
  const ports = spec.ports ?? [];
  if (spec.type === "ClusterIP") {
    for (const [i, { nodePort = 0 }] of ports.entries()) {
      if (nodePort === 0) continue;
      const detail = "may not be used when `type` is 'ClusterIP'";
      errors.push(forbiddenField(`spec.ports[${i}].nodePort`, detail));
    }
  }
  const nodePorts = new Set<string>();
  for (const [i, { protocol, nodePort = 0 }] of ports.entries()) {
    if (nodePort === 0) continue;
    const pair = `${protocol}/${nodePort}`;
    if (nodePorts.has(pair)) errors.push(duplicateValue(`spec.ports[${i}].nodePort`, nodePort));
    nodePorts.add(pair);
  }
  const numbers = new Set<string>();
  for (const [i, { protocol, port }] of ports.entries()) {
    const pair = `${protocol}/${port}`;
    if (numbers.has(pair)) {
      // Upstream shows the pair in its internal form, where an empty target port is 0.
      const value = { protocol, port, targetPort: 0 };
      errors.push(duplicateValue(`spec.ports[${i}]`, value));
    }
    numbers.add(pair);
  }
}

function validateLoadBalancer(spec: ServiceSpec, errors: FieldError[]): void {
  const isLoadBalancer = spec.type === "LoadBalancer";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const rangesPath = "spec.LoadBalancerSourceRanges";
  if (ranges.length > 0 && !isLoadBalancer) {
    errors.push(forbiddenField(rangesPath, onlyForLoadBalancer));
  }
  for (const [i, range] of ranges.entries()) {
    errors.push(...checkCIDR(`${rangesPath}[${i}]`, range.trim()));
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isLoadBalancer) {
    errors.push(forbiddenField("spec.allocateLoadBalancerNodePorts", onlyForLoadBalancer));
  }
  const { loadBalancerClass } = spec;
  if (loadBalancerClass === undefined) return;
  if (!isLoadBalancer) {
    errors.push(forbiddenField("spec.loadBalancerClass", onlyForLoadBalancer));
  }
  const complaints = qualifiedName(loadBalancerClass);
  errors.push(...invalidEach("spec.loadBalancerClass", loadBalancerClass, complaints));
}

function validateTrafficPolicies(spec: ServiceSpec, errors: FieldError[]): void {
  const isExternal =
    spec.type === "LoadBalancer" ||
    spec.type === "NodePort" ||
    (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
  const policy = spec.externalTrafficPolicy ?? "";
  const path = "spec.externalTrafficPolicy";
  if (isExternal) errors.push(...checkOneOf(path, policy, trafficPolicies));
  else if (policy !== "") {
    const detail = "may only be set for externally-accessible services";
    errors.push(invalidValue(path, policy, detail));
  }
  const healthPort = spec.healthCheckNodePort ?? 0;
  if (healthPort !== 0 && !needsHealthCheck(spec)) {
    const detail =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalidValue("spec.healthCheckNodePort", healthPort, detail));
  }
  const internal = spec.internalTrafficPolicy;
  const internalPath = "spec.internalTrafficPolicy";
  if (internal === undefined && spec.type !== "ExternalName") errors.push(required(internalPath));
  errors.push(...checkOptionalOneOf(internalPath, internal, trafficPolicies));
  const distribution = spec.trafficDistribution;
  errors.push(...checkOptionalOneOf("spec.trafficDistribution", distribution, distributions));
}

/** Addresses and families may be added or dropped at the end, never exchanged. */
function checkKept(
  after: ServiceSpec,
  before: ServiceSpec,
  { key, errors }: { key: "clusterIPs" | "ipFamilies"; errors: FieldError[] },
): void {
  const old = before[key] ?? [];
  const now = after[key] ?? [];
  for (const [i, value] of old.entries()) {
    const other = now[i];
    if (i > 0 && other === undefined) continue;
    if (other === value) continue;
    if (key === "ipFamilies" && old.length === 0) continue;
    const path = `spec.${key}[${i}]`;
    errors.push(invalidValue(path, key === "clusterIPs" ? now : (other ?? ""), staysOnceSet));
  }
}
