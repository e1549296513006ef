// Validation of Ingress and IngressClass (upstream: pkg/apis/networking/validation/validation.go).
import { utf8Length } from "../../std/utf8.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../meta/field-error.ts";
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressRule,
} from "../types/networking-v1.ts";
import {
  checkIfGiven,
  checkImmutable,
  checkOneOf,
  checkOptional,
  checkText,
  invalidEach,
} from "./checks.ts";
import { ipFamily } from "./ip-rules.ts";
import {
  dns1123Label,
  dns1123Subdomain,
  pathSegment,
  portName,
  portNumber,
  wildcardDns1123Subdomain,
} from "./names.ts";

const controllerMaxBytes = 250;
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
/** Parts of a path that would make it mean another one. */
const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEndings = ["/..", "/."];
const classAnnotation = "kubernetes.io/ingress.class";
const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

export function validateIngressCreate(ingress: Ingress, errors: FieldError[]): void {
  const annotated = ingress.metadata.annotations?.[classAnnotation];
  if (annotated !== undefined && ingress.spec?.ingressClassName !== undefined) {
    const detail = "can not be set when the class field is also set";
    errors.push(invalidValue(`annotations.${classAnnotation}`, annotated, detail));
  }
  validateIngress(ingress, errors);
}

export function validateIngress(ingress: Ingress, errors: FieldError[]): void {
  const spec = ingress.spec ?? {};
  const rules = spec.rules ?? [];
  if (rules.length === 0 && !spec.defaultBackend) {
    const detail = "either `defaultBackend` or `rules` must be specified";
    errors.push(invalidValue("spec", spec.rules ?? null, detail));
  }
  if (spec.defaultBackend) validateBackend(spec.defaultBackend, "spec.defaultBackend", errors);
  for (const [i, rule] of rules.entries()) validateRule(rule, `spec.rules[${i}]`, errors);
  for (const [i, tls] of (spec.tls ?? []).entries()) {
    for (const [j, host] of (tls.hosts ?? []).entries()) {
      errors.push(...checkHost(`spec.tls[${i}].hosts[${j}]`, host));
    }
    errors.push(...checkOptional(`spec.tls[${i}].secretName`, tls.secretName, dns1123Subdomain));
  }
  const className = spec.ingressClassName;
  errors.push(...checkIfGiven("spec.ingressClassName", className, dns1123Subdomain));
}

export function validateIngressClass(ingressClass: IngressClass, errors: FieldError[]): void {
  errors.push(...checkController(ingressClass.spec?.controller ?? ""));
  const parameters = ingressClass.spec?.parameters;
  if (!parameters) return;
  const path = "spec.parameters";
  const { scope, namespace } = parameters;
  errors.push(...checkIfGiven(`${path}.apiGroup`, parameters.apiGroup, dns1123Subdomain));
  errors.push(...checkText(`${path}.kind`, parameters.kind, pathSegment));
  errors.push(...checkText(`${path}.name`, parameters.name, pathSegment));
  errors.push(...checkOneOf(`${path}.scope`, scope, ["Cluster", "Namespace"]));
  const at = `${path}.namespace`;
  if (scope === "Namespace" && namespace === undefined) {
    errors.push(required(at, "`parameters.scope` is set to 'Namespace'"));
  } else if (scope === "Namespace") {
    errors.push(...checkIfGiven(at, namespace, dns1123Label));
  } else if (scope === "Cluster" && namespace !== undefined) {
    errors.push(forbiddenField(at, "`parameters.scope` is set to 'Cluster'"));
  }
}

export function validateIngressClassUpdate(
  ingressClass: IngressClass,
  old: IngressClass,
  errors: FieldError[],
): void {
  const { controller = "" } = ingressClass.spec ?? {};
  errors.push(...checkImmutable("spec.controller", controller, old.spec?.controller));
  validateIngressClass(ingressClass, errors);
}

function validateRule(rule: IngressRule, path: string, errors: FieldError[]): void {
  const { host = "", http } = rule;
  if (host !== "") {
    if (ipFamily(host) !== undefined) {
      errors.push(invalidValue(`${path}.host`, host, "must be a DNS name, not an IP address"));
    }
    errors.push(...checkHost(`${path}.host`, host));
  }
  if (!http) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(required(`${path}.http.paths`));
  for (const [i, one] of paths.entries()) validatePath(one, `${path}.http.paths[${i}]`, errors);
}

function checkHost(path: string, host: string): readonly FieldError[] {
  const rule = host.includes("*") ? wildcardDns1123Subdomain : dns1123Subdomain;
  return invalidEach(path, host, rule(host));
}

function validatePath(one: HTTPIngressPath, path: string, errors: FieldError[]): void {
  const { pathType, path: text = "" } = one;
  if (pathType === undefined) {
    errors.push(required(`${path}.pathType`, "pathType must be specified"));
    return;
  }
  const at = `${path}.path`;
  if (pathType === "Exact" || pathType === "Prefix") {
    if (!text.startsWith("/")) errors.push(invalidValue(at, text, "must be an absolute path"));
    for (const bad of badSequences.filter((sequence) => text.includes(sequence))) {
      errors.push(invalidValue(at, text, `must not contain '${bad}'`));
    }
    for (const bad of badEndings.filter((ending) => text.endsWith(ending))) {
      errors.push(invalidValue(at, text, `cannot end with '${bad}'`));
    }
  } else if (pathType === "ImplementationSpecific") {
    if (text !== "" && !text.startsWith("/")) {
      errors.push(invalidValue(at, text, "must be an absolute path"));
    }
  } else {
    errors.push(notSupported(`${path}.pathType`, pathType, pathTypes));
  }
  validateBackend(one.backend, `${path}.backend`, errors);
}

function validateBackend(backend: IngressBackend, path: string, errors: FieldError[]): void {
  const { service, resource } = backend;
  if (service && resource) {
    errors.push(invalidValue(path, "", "cannot set both resource and service backends"));
  } else if (resource) {
    const at = `${path}.resource`;
    errors.push(...checkIfGiven(`${at}.apiGroup`, resource.apiGroup, dns1123Subdomain));
    errors.push(...checkText(`${at}.kind`, resource.kind, pathSegment));
    errors.push(...checkText(`${at}.name`, resource.name, pathSegment));
  } else if (service) {
    errors.push(...checkText(`${path}.service.name`, service.name, dns1123Label));
    const { name = "", number = 0 } = service.port ?? {};
    if (name !== "" && number !== 0) {
      errors.push(invalidValue(path, "", "cannot set both port name & port number"));
    } else if (name !== "") {
      errors.push(...invalidEach(`${path}.service.port.name`, name, portName(name)));
    } else if (number === 0) {
      errors.push(required(path, "port name or number is required"));
    } else {
      errors.push(...invalidEach(`${path}.service.port.number`, number, portNumber(number)));
    }
  } else {
    errors.push(invalidValue(path, "", "resource or service backend is required"));
  }
}

function checkController(controller: string): readonly FieldError[] {
  const path = "spec.controller";
  if (controller === "") return [required(path)];
  const errors: FieldError[] = [];
  if (utf8Length(controller) > controllerMaxBytes) errors.push(tooLong(path, controllerMaxBytes));
  const slash = controller.indexOf("/");
  if (slash <= 0 || slash === controller.length - 1) {
    const detail = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return [...errors, invalidValue(path, controller, detail)];
  }
  const host = controller.slice(0, slash);
  const rest = controller.slice(slash + 1);
  errors.push(...invalidEach(path, host, dns1123Subdomain(host)));
  if (!httpPathPattern.test(rest)) {
    const detail = `Invalid path (regex used for validation is '${httpPath}')`;
    errors.push(invalidValue(path, rest, detail));
  }
  return errors;
}
