// Validation of pods and pod templates: the rules across containers and of the spec around them (upstream:
// pkg/apis/core/validation/validation.go, ValidatePodSpec). What an update may change is in pod-update-validation.ts.
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type {
  Container,
  EphemeralContainer,
  Pod,
  PodDNSConfig,
  PodResourceClaim,
  PodSecurityContext,
  PodSpec,
  PodTemplateSpec,
} from "../types/core-v1.ts";
import {
  checkOneOf,
  checkOptional,
  checkOptionalOneOf,
  checkRange,
  checkText,
  invalidEach,
  maxInt32,
} from "./checks.ts";
import { type PodScope, validateContainer } from "./container-validation.ts";
import { checkIP } from "./ip-rules.ts";
import { validateAnnotations, validateLabels } from "./metadata.ts";
import { dns1123Label, dns1123Subdomain, qualifiedName } from "./names.ts";
import { validateHooks } from "./probe-validation.ts";
import { validatePodResources, validateResourceQuantity } from "./resource-validation.ts";
import {
  validateAffinity,
  validateSchedulingGates,
  validateSpreadConstraints,
  validateTolerations,
} from "./scheduling-validation.ts";
import { validateSecurityProfiles } from "./security-validation.ts";
import { validateVolumes } from "./volume-validation.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const preemptionPolicies = ["PreemptLowerPriority", "Never"];
const groupChangePolicies = ["Always", "OnRootMismatch"];
const operatingSystems = ["linux", "windows"];
const nameserversMax = 3;
const searchesMax = 32;
const uidMax = 0xff_ff_ff_ff;
const onlyForSidecars = "may not be set for init containers without restartPolicy=Always";
const notForEphemeral = "cannot be set for an Ephemeral Container";
const refusedInEphemeral = [
  "ports",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
  "resizePolicy",
  "restartPolicy",
] as const;

export function validatePod(pod: Pod, errors: FieldError[]): void {
  const spec = pod.spec ?? {};
  validatePodSpec(spec, "spec", { errors, isPod: true });
  if ((spec.serviceAccountName ?? "") === "") refuseTokens(spec, errors);
  for (const key of ["containers", "initContainers", "ephemeralContainers"] as const) {
    for (const [i, { image = "" }] of (spec[key] ?? []).entries()) {
      if (image === image.trim()) continue;
      const detail = "must not have leading or trailing whitespace";
      errors.push(invalidValue(`spec.${key}[${i}].image`, image, detail));
    }
  }
}

export function validatePodCreate(pod: Pod, errors: FieldError[]): void {
  validatePod(pod, errors);
  const { ephemeralContainers = [], schedulingGates = [], nodeName = "" } = pod.spec ?? {};
  if (ephemeralContainers.length > 0) {
    errors.push(forbiddenField("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (nodeName !== "" && schedulingGates.length > 0) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    errors.push(forbiddenField("spec.nodeName", detail));
  }
}

export function validatePodTemplate(
  template: PodTemplateSpec,
  path: string,
  errors: FieldError[],
): void {
  validateLabels(template.metadata?.labels, `${path}.labels`, errors);
  validateAnnotations(template.metadata?.annotations, `${path}.annotations`, errors);
  const spec = template.spec ?? {};
  validatePodSpec(spec, `${path}.spec`, { errors, isPod: false });
  if ((spec.ephemeralContainers ?? []).length > 0) {
    const detail = "ephemeral containers not allowed in pod template";
    errors.push(forbiddenField(`${path}.spec.ephemeralContainers`, detail));
  }
}

interface SpecScope {
  readonly errors: FieldError[];
  readonly isPod: boolean;
}

function validatePodSpec(spec: PodSpec, path: string, { errors, isPod }: SpecScope): void {
  const graceSeconds = spec.terminationGracePeriodSeconds;
  if (graceSeconds === undefined) errors.push(required(`${path}.terminationGracePeriodSeconds`));
  const volumes = validateVolumes(spec.volumes ?? [], `${path}.volumes`, errors);
  validateResourceClaims(spec.resourceClaims ?? [], `${path}.resourceClaims`, errors);
  const scope: PodScope = {
    errors,
    volumes,
    restartPolicy: spec.restartPolicy ?? "",
    gracePeriodSeconds: graceSeconds,
    claimNames: new Set((spec.resourceClaims ?? []).map((claim) => claim.name)),
    hostUsers: spec.hostUsers !== false,
  };
  validateContainers(spec.containers ?? [], `${path}.containers`, scope);
  validateInitContainers(spec, `${path}.initContainers`, scope);
  validateEphemeralContainers(spec, `${path}.ephemeralContainers`, scope);
  if (spec.resources) validatePodResources(spec.resources, `${path}.resources`, errors);
  if (spec.hostNetwork === true) checkHostPorts(spec, path, { errors, isPod });
  errors.push(...checkOneOf(`${path}.restartPolicy`, spec.restartPolicy, restartPolicies));
  errors.push(...checkOneOf(`${path}.dnsPolicy`, spec.dnsPolicy, dnsPolicies));
  validateLabels(spec.nodeSelector, `${path}.nodeSelector`, errors);
  if (spec.securityContext) {
    validateSecurityContext(spec.securityContext, `${path}.securityContext`, errors);
  }
  if (spec.affinity) validateAffinity(spec.affinity, `${path}.affinity`, errors);
  validateDnsConfig(spec, `${path}.dnsConfig`, errors);
  validateGatesAndSpread(spec, path, errors);
  validateNamesInSpec(spec, path, errors);
}

function validateGatesAndSpread(spec: PodSpec, path: string, errors: FieldError[]): void {
  for (const [i, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    const at = `${path}.readinessGates[${i}].conditionType`;
    errors.push(...invalidEach(at, conditionType, qualifiedName(conditionType)));
  }
  validateSchedulingGates(spec.schedulingGates ?? [], `${path}.schedulingGates`, errors);
  const constraints = spec.topologySpreadConstraints ?? [];
  validateSpreadConstraints(constraints, `${path}.topologySpreadConstraints`, errors);
}

function validateNamesInSpec(spec: PodSpec, path: string, errors: FieldError[]): void {
  const account = spec.serviceAccountName;
  errors.push(...checkOptional(`${path}.serviceAccountName`, account, dns1123Subdomain));
  errors.push(...checkOptional(`${path}.nodeName`, spec.nodeName, dns1123Subdomain));
  const deadline = spec.activeDeadlineSeconds;
  errors.push(...checkRange(`${path}.activeDeadlineSeconds`, deadline, [1, maxInt32]));
  errors.push(...checkOptional(`${path}.hostname`, spec.hostname, dns1123Label));
  errors.push(...checkOptional(`${path}.subdomain`, spec.subdomain, dns1123Label));
  validateTolerations(spec.tolerations ?? [], `${path}.tolerations`, errors);
  for (const [i, alias] of (spec.hostAliases ?? []).entries()) {
    errors.push(...checkIP(`${path}.hostAliases[${i}].ip`, alias.ip));
    for (const [j, hostname] of (alias.hostnames ?? []).entries()) {
      const at = `${path}.hostAliases[${i}].hostnames[${j}]`;
      errors.push(...invalidEach(at, hostname, dns1123Subdomain(hostname)));
    }
  }
  const { priorityClassName, runtimeClassName, preemptionPolicy } = spec;
  errors.push(...checkOptional(`${path}.priorityClassName`, priorityClassName, dns1123Subdomain));
  errors.push(...checkOptional(`${path}.runtimeClassName`, runtimeClassName, dns1123Subdomain));
  errors.push(
    ...checkOptionalOneOf(`${path}.preemptionPolicy`, preemptionPolicy, preemptionPolicies),
  );
  for (const [name, quantity] of Object.entries(spec.overhead ?? {})) {
    errors.push(...validateResourceQuantity(name, quantity, `${path}.overhead[${name}]`));
  }
  if (spec.os) errors.push(...checkOneOf(`${path}.os.name`, spec.os.name, operatingSystems));
}

function validateContainers(containers: readonly Container[], path: string, scope: PodScope): void {
  const { errors } = scope;
  if (containers.length === 0) {
    errors.push(required(path));
    return;
  }
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const at = `${path}[${i}]`;
    validateContainer(container, at, scope);
    if (names.has(container.name)) errors.push(duplicateValue(`${at}.name`, container.name));
    names.add(container.name);
    validateHooks(container, at, scope);
    if (container.restartPolicy !== undefined) {
      const allowed = restartPolicies;
      const policyPath = `${at}.restartPolicy`;
      errors.push(...checkOptionalOneOf(policyPath, container.restartPolicy, allowed));
    }
  }
  checkHostPortConflicts(containers, path, errors);
}

function validateInitContainers(spec: PodSpec, path: string, scope: PodScope): void {
  const { errors } = scope;
  const names = new Set((spec.containers ?? []).map((container) => container.name));
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const at = `${path}[${i}]`;
    validateContainer(container, at, scope);
    const policyPath = `${at}.restartPolicy`;
    errors.push(...checkOptionalOneOf(policyPath, container.restartPolicy, restartPolicies));
    if (names.has(container.name)) errors.push(duplicateValue(`${at}.name`, container.name));
    else if (container.name !== "") names.add(container.name);
    checkHostPortConflicts([container], path, errors);
    if (container.restartPolicy === "Always") {
      validateHooks(container, at, scope);
      continue;
    }
    for (const key of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
      if (container[key] !== undefined)
        errors.push(forbiddenField(`${at}.${key}`, onlyForSidecars));
    }
  }
}

function validateEphemeralContainers(spec: PodSpec, path: string, scope: PodScope): void {
  const { errors } = scope;
  const others = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const lasting = new Set(others.map((container) => container.name));
  const names = new Set(lasting);
  for (const [i, container] of (spec.ephemeralContainers ?? []).entries()) {
    const at = `${path}[${i}]`;
    validateContainer(container, at, scope);
    if (names.has(container.name)) errors.push(duplicateValue(`${at}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName ?? "";
    if (target !== "" && !lasting.has(target)) {
      errors.push(notFoundValue(`${at}.targetContainerName`, target));
    }
    refuseInEphemeral(container, at, errors);
  }
}

function refuseInEphemeral(
  container: EphemeralContainer,
  path: string,
  errors: FieldError[],
): void {
  for (const key of refusedInEphemeral) {
    const value = container[key];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) {
      errors.push(forbiddenField(`${path}.${key}`, notForEphemeral));
    }
  }
  if (Object.keys(container.resources ?? {}).length > 0) {
    errors.push(forbiddenField(`${path}.resources`, notForEphemeral));
  }
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    for (const key of ["subPath", "subPathExpr"] as const) {
      if ((mount[key] ?? "") === "") continue;
      errors.push(forbiddenField(`${path}.volumeMounts[${i}].${key}`, notForEphemeral));
    }
  }
}

function checkHostPortConflicts(
  containers: readonly Container[],
  path: string,
  errors: FieldError[],
): void {
  const taken = new Set<string>();
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of (container.ports ?? []).entries()) {
      if ((port.hostPort ?? 0) === 0) continue;
      const text = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${port.hostPort}`;
      if (taken.has(text)) errors.push(duplicateValue(`${path}[${i}].ports[${j}].hostPort`, text));
      taken.add(text);
    }
  }
}

/** Templates may leave host ports out: the pods made from them get them. */
function checkHostPorts(spec: PodSpec, path: string, { errors, isPod }: SpecScope): void {
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [j, port] of (container.ports ?? []).entries()) {
      const hostPort = port.hostPort ?? 0;
      if (hostPort === port.containerPort || (hostPort === 0 && !isPod)) continue;
      const at = `${path}.containers[${i}].ports[${j}].hostPort`;
      const detail = "must match `containerPort` when `hostNetwork` is true";
      errors.push(invalidValue(at, hostPort, detail));
    }
  }
}

function validateResourceClaims(
  claims: readonly PodResourceClaim[],
  path: string,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    const at = `${path}[${i}]`;
    if (names.has(claim.name)) errors.push(duplicateValue(`${at}.name`, claim.name));
    else errors.push(...checkText(`${at}.name`, claim.name, dns1123Label));
    names.add(claim.name);
    const { resourceClaimName: claimName, resourceClaimTemplateName: templateName } = claim;
    if (claimName !== undefined && templateName !== undefined) {
      const detail =
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      errors.push(invalidValue(at, claim, detail));
    }
    if (claimName === undefined && templateName === undefined) {
      const detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
      errors.push(invalidValue(at, claim, detail));
    }
    errors.push(...checkOptional(`${at}.resourceClaimName`, claimName, dns1123Subdomain));
    const templatePath = `${at}.resourceClaimTemplateName`;
    errors.push(...checkOptional(templatePath, templateName, dns1123Subdomain));
  }
}

function validateSecurityContext(
  context: PodSecurityContext,
  path: string,
  errors: FieldError[],
): void {
  for (const key of ["fsGroup", "runAsUser", "runAsGroup"] as const) {
    errors.push(...checkRange(`${path}.${key}`, context[key], [0, uidMax]));
  }
  for (const [i, group] of (context.supplementalGroups ?? []).entries()) {
    errors.push(...checkRange(`${path}.supplementalGroups[${i}]`, group, [0, uidMax]));
  }
  const policyPath = `${path}.fsGroupChangePolicy`;
  const policy = context.fsGroupChangePolicy;
  if (policy !== undefined && !groupChangePolicies.includes(policy)) {
    errors.push(notSupported(policyPath, policy, groupChangePolicies));
  }
  const names = new Set<string>();
  for (const [i, { name }] of (context.sysctls ?? []).entries()) {
    errors.push(...checkText(`${path}.sysctls[${i}].name`, name));
    if (names.has(name)) errors.push(duplicateValue(`${path}.sysctls[${i}].name`, name));
    names.add(name);
  }
  validateSecurityProfiles(context, path, errors);
}

function validateDnsConfig(spec: PodSpec, path: string, errors: FieldError[]): void {
  const config: PodDNSConfig | undefined = spec.dnsConfig;
  const nameservers = config?.nameservers ?? [];
  if (spec.dnsPolicy === "None" && !config) {
    errors.push(required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
    return;
  }
  if (spec.dnsPolicy === "None" && nameservers.length === 0) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    errors.push(required(`${path}.nameservers`, detail));
    return;
  }
  if (nameservers.length > nameserversMax) {
    const detail = `must not have more than ${nameserversMax} nameservers`;
    errors.push(invalidValue(`${path}.nameservers`, nameservers, detail));
  }
  for (const [i, nameserver] of nameservers.entries()) {
    errors.push(...checkIP(`${path}.nameservers[${i}]`, nameserver));
  }
  const searches = config?.searches ?? [];
  if (searches.length > searchesMax) {
    const detail = `must not have more than ${searchesMax} search paths`;
    errors.push(invalidValue(`${path}.searches`, searches, detail));
  }
  for (const [i, option] of (config?.options ?? []).entries()) {
    if ((option.name ?? "") === "") {
      errors.push(required(`${path}.options[${i}]`, "must not be empty"));
    }
  }
}

function refuseTokens(spec: PodSpec, errors: FieldError[]): void {
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    for (const [j, source] of (volume.projected?.sources ?? []).entries()) {
      if (!source.serviceAccountToken) continue;
      const at = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`;
      errors.push(forbiddenField(at, "must not be specified when serviceAccountName is not set"));
    }
  }
}
