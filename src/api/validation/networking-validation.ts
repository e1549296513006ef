// Validation of network policies, endpoint slices, and the addresses of services (upstream:
// pkg/apis/networking/validation, pkg/apis/discovery/validation).
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooMany,
} from "../meta/field-error.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../types/discovery-v1.ts";
import type {
  IPAddress,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  ParentReference,
  ServiceCIDR,
} from "../types/networking-v1.ts";
import {
  checkIfGiven,
  checkImmutable,
  checkOneOf,
  checkOptional,
  checkOptionalOneOf,
  checkText,
  fieldIsImmutable,
  invalidEach,
} from "./checks.ts";
import { protocols } from "./container-validation.ts";
import { checkCIDR, checkIP, checkNotSpecialIP, cidrFamily, ipFamily } from "./ip-rules.ts";
import { dns1123Label, dns1123Subdomain, portNumber, qualifiedName } from "./names.ts";
import { checkPortNumberOrName } from "./probe-validation.ts";
import { validateLabelSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";

const policyTypes = ["Egress", "Ingress"];
const addressTypes = ["FQDN", "IPv4", "IPv6"];
const endpointsMax = 1000;
const addressesMax = 100;
const portsMax = 20_000;

export function validateNetworkPolicy(policy: NetworkPolicy, errors: FieldError[]): void {
  const spec = policy.spec ?? { podSelector: {} };
  validateLabelSelector(spec.podSelector, "spec.podSelector", errors);
  for (const [i, rule] of (spec.ingress ?? []).entries()) {
    validatePolicyPorts(rule.ports ?? [], `spec.ingress[${i}].ports`, errors);
    validatePeers(rule.from ?? [], `spec.ingress[${i}].from`, errors);
  }
  for (const [i, rule] of (spec.egress ?? []).entries()) {
    validatePolicyPorts(rule.ports ?? [], `spec.egress[${i}].ports`, errors);
    validatePeers(rule.to ?? [], `spec.egress[${i}].to`, errors);
  }
  const types = spec.policyTypes ?? [];
  if (types.length > policyTypes.length) {
    errors.push(
      invalidValue("spec.policyTypes", types, "may not specify more than two policyTypes"),
    );
    return;
  }
  for (const [i, type] of types.entries()) {
    errors.push(...checkOptionalOneOf(`spec.policyTypes[${i}]`, type, policyTypes));
  }
}

export function validateEndpointSlice(slice: EndpointSlice, errors: FieldError[]): void {
  const { addressType } = slice;
  errors.push(...checkOneOf("addressType", addressType, addressTypes));
  validateEndpointPorts(slice.ports ?? [], errors);
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > endpointsMax) {
    errors.push(tooMany("endpoints", endpoints.length, endpointsMax));
    return;
  }
  for (const [i, endpoint] of endpoints.entries()) {
    validateEndpoint(endpoint, addressType, { path: `endpoints[${i}]`, errors });
  }
}

/** Upstream lets any number stand for a port here. */
function validateEndpointPorts(ports: readonly EndpointPort[], errors: FieldError[]): void {
  if (ports.length > portsMax) {
    errors.push(tooMany("ports", ports.length, portsMax));
    return;
  }
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const path = `ports[${i}]`;
    const { name = "" } = port;
    errors.push(...checkOptional(`${path}.name`, name, dns1123Label));
    if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name));
    names.add(name);
    errors.push(...checkOneOf(`${path}.protocol`, port.protocol, protocols));
    errors.push(...checkIfGiven(`${path}.appProtocol`, port.appProtocol, qualifiedName));
  }
}

export function validateEndpointSliceUpdate(
  slice: EndpointSlice,
  old: EndpointSlice,
  errors: FieldError[],
): void {
  validateEndpointSlice(slice, errors);
  errors.push(...checkImmutable("addressType", slice.addressType, old.addressType));
}

export function validateIPAddress(address: IPAddress, errors: FieldError[]): void {
  const parent = address.spec?.parentRef;
  if (!parent) {
    errors.push(required("spec.parentRef"));
    return;
  }
  errors.push(...checkText("spec.parentRef.resource", parent.resource));
  errors.push(...checkText("spec.parentRef.name", parent.name));
}

export function validateIPAddressUpdate(
  address: IPAddress,
  old: IPAddress,
  errors: FieldError[],
): void {
  validateIPAddress(address, errors);
  const { parentRef } = address.spec ?? {};
  if (semanticallyEqual(parentRef, old.spec?.parentRef)) return;
  errors.push(invalidValue("spec.parentRef", parentForm(parentRef), fieldIsImmutable));
}

export function validateServiceCIDR(serviceCIDR: ServiceCIDR, errors: FieldError[]): void {
  const cidrs = serviceCIDR.spec?.cidrs ?? [];
  if (cidrs.length === 0) errors.push(required("spec.cidrs", "at least one CIDR required"));
  if (cidrs.length > 2) {
    errors.push(invalidValue("spec", serviceCIDR.spec, "may only hold up to 2 values"));
  }
  const [first, second] = cidrs;
  if (first !== undefined && second !== undefined && cidrFamily(first) === cidrFamily(second)) {
    const detail =
      "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(invalidValue("spec", serviceCIDR.spec, detail));
  }
  for (const [i, cidr] of cidrs.entries()) errors.push(...checkCIDR(`spec.cidrs[${i}]`, cidr));
}

export function validateServiceCIDRUpdate(
  serviceCIDR: ServiceCIDR,
  old: ServiceCIDR,
  errors: FieldError[],
): void {
  const { cidrs } = serviceCIDR.spec ?? {};
  errors.push(...checkImmutable("spec.cidrs", cidrs, old.spec?.cidrs));
}

/** As Go prints the type inside of the server. */
function parentForm(parent: ParentReference | undefined): object | null {
  if (!parent) return null;
  const { group = "", resource = "", namespace = "", name = "" } = parent;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

function validatePolicyPorts(
  ports: readonly NetworkPolicyPort[],
  path: string,
  errors: FieldError[],
): void {
  for (const [i, { protocol, port, endPort }] of ports.entries()) {
    const at = `${path}[${i}]`;
    errors.push(...checkOptionalOneOf(`${at}.protocol`, protocol, protocols));
    if (port !== undefined) errors.push(...checkPortNumberOrName(`${at}.port`, port));
    if (endPort === undefined) continue;
    if (port === undefined) {
      const detail = "must be specified when `endPort` is set";
      errors.push(required(`${at}.port`, detail));
    } else if (typeof port === "string") {
      const detail = "may not be specified when `port` is non-numeric";
      errors.push(invalidValue(`${at}.endPort`, endPort, detail));
    } else {
      if (endPort < port) {
        const detail = "must be greater than or equal to `port`";
        errors.push(invalidValue(`${at}.endPort`, endPort, detail));
      }
      errors.push(...invalidEach(`${at}.endPort`, endPort, portNumber(endPort)));
    }
  }
}

function validatePeers(
  peers: readonly NetworkPolicyPeer[],
  path: string,
  errors: FieldError[],
): void {
  for (const [i, { podSelector, namespaceSelector, ipBlock }] of peers.entries()) {
    const at = `${path}[${i}]`;
    validateLabelSelector(podSelector, `${at}.podSelector`, errors);
    validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`, errors);
    if (ipBlock) {
      if (ipBlock.cidr === "") errors.push(required(`${at}.ipBlock.cidr`));
      else errors.push(...checkCIDR(`${at}.ipBlock.cidr`, ipBlock.cidr));
      for (const [j, cidr] of (ipBlock.except ?? []).entries()) {
        errors.push(...checkCIDR(`${at}.ipBlock.except[${j}]`, cidr));
      }
    }
    if (!podSelector && !namespaceSelector && !ipBlock) {
      errors.push(required(at, "must specify a peer"));
    } else if (ipBlock && (podSelector ?? namespaceSelector)) {
      errors.push(forbiddenField(at, "may not specify both ipBlock and another peer"));
    }
  }
}

function validateEndpoint(
  endpoint: Endpoint,
  addressType: string,
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  const addresses = endpoint.addresses ?? [];
  if (addresses.length === 0) {
    errors.push(required(`${path}.addresses`, "must contain at least 1 address"));
  } else if (addresses.length > addressesMax) {
    errors.push(tooMany(`${path}.addresses`, addresses.length, addressesMax));
  }
  for (const [i, address] of addresses.entries()) {
    const at = `${path}.addresses[${i}]`;
    if (addressType === "FQDN") {
      errors.push(...invalidEach(at, address, dns1123Subdomain(address)));
    } else if (addressType === "IPv4" || addressType === "IPv6") {
      const complaints = checkIP(at, address);
      errors.push(...complaints);
      if (complaints.length > 0) continue;
      if (ipFamily(address) !== addressType) {
        const detail = `must be an ${addressType} address`;
        errors.push(invalidValue(`${path}.addresses`, address, detail));
      }
      errors.push(...checkNotSpecialIP(at, address));
    }
  }
  errors.push(...checkIfGiven(`${path}.nodeName`, endpoint.nodeName, dns1123Subdomain));
  errors.push(...checkIfGiven(`${path}.hostname`, endpoint.hostname, dns1123Label));
}
