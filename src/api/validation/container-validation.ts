// Validation of one container: image, ports, environment, mounts, probes, resources, security (upstream:
// pkg/apis/core/validation/validation.go, validateContainerCommon and below). Rules across containers are in
// pod-validation.ts.
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
  ContainerPort,
  EnvFromSource,
  EnvVar,
  SecurityContext,
  Volume,
  VolumeDevice,
  VolumeMount,
} from "../types/core-v1.ts";
import { checkOneOf, checkRange, checkText, invalidEach } from "./checks.ts";
import { validateFieldRef, validateResourceFieldRef } from "./downward-validation.ts";
import {
  configMapKey,
  dns1123Label,
  dns1123Subdomain,
  envVarName,
  nameIsSubdomain,
  portName,
  portNumber,
} from "./names.ts";
import { checkDescendingPath, checkNoBacksteps } from "./path-rules.ts";
import { validateContainerResources } from "./resource-validation.ts";
import { validateSecurityProfiles } from "./security-validation.ts";

/** What a container's rules need to know of its pod. */
export interface PodScope {
  readonly errors: FieldError[];
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly restartPolicy: string;
  readonly gracePeriodSeconds: number | undefined;
  readonly claimNames: ReadonlySet<string>;
  readonly hostUsers: boolean;
}

export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];
const terminationPolicies = ["File", "FallbackToLogsOnError"];
export const pullPolicies: readonly string[] = ["Always", "IfNotPresent", "Never"];
const propagations = ["Bidirectional", "HostToContainer", "None"];
const uidMax = 0xff_ff_ff_ff;

export function validateContainer(container: Container, path: string, scope: PodScope): void {
  const { errors } = scope;
  errors.push(...checkText(`${path}.name`, container.name, dns1123Label));
  errors.push(...checkText(`${path}.image`, container.image));
  const policy = container.terminationMessagePolicy;
  errors.push(...checkOneOf(`${path}.terminationMessagePolicy`, policy, terminationPolicies));
  validatePorts(container.ports ?? [], `${path}.ports`, errors);
  validateEnv(container.env ?? [], `${path}.env`, errors);
  validateEnvFrom(container.envFrom ?? [], `${path}.envFrom`, errors);
  validateMounts(container, `${path}.volumeMounts`, scope);
  validateDevices(container, `${path}.volumeDevices`, scope);
  errors.push(...checkOneOf(`${path}.imagePullPolicy`, container.imagePullPolicy, pullPolicies));
  if (container.resources) {
    validateContainerResources(container.resources, `${path}.resources`, errors);
    validateClaimReferences(container, `${path}.resources.claims`, scope);
  }
  validateResizePolicy(container, `${path}.resizePolicy`, scope);
  if (container.securityContext) {
    validateSecurityContext(container.securityContext, `${path}.securityContext`, scope);
  }
}

function validatePorts(ports: readonly ContainerPort[], path: string, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const at = `${path}[${i}]`;
    const { name = "" } = port;
    if (name !== "") {
      const complaints = portName(name);
      errors.push(...invalidEach(`${at}.name`, name, complaints));
      if (names.has(name)) errors.push(duplicateValue(`${at}.name`, name));
      if (complaints.length === 0) names.add(name);
    }
    if ((port.containerPort ?? 0) === 0) errors.push(required(`${at}.containerPort`));
    else {
      const complaints = portNumber(port.containerPort);
      errors.push(...invalidEach(`${at}.containerPort`, port.containerPort, complaints));
    }
    if ((port.hostPort ?? 0) !== 0) {
      errors.push(...invalidEach(`${at}.hostPort`, port.hostPort, portNumber(port.hostPort ?? 0)));
    }
    errors.push(...checkOneOf(`${at}.protocol`, port.protocol, protocols));
  }
}

function validateEnv(variables: readonly EnvVar[], path: string, errors: FieldError[]): void {
  for (const [i, variable] of variables.entries()) {
    errors.push(...checkText(`${path}[${i}].name`, variable.name, envVarName));
    if (variable.valueFrom) validateValueFrom(variable, `${path}[${i}].valueFrom`, errors);
  }
}

function validateValueFrom(variable: EnvVar, path: string, errors: FieldError[]): void {
  const source = variable.valueFrom ?? {};
  if (source.fieldRef) {
    validateFieldRef(source.fieldRef, "env", { path: `${path}.fieldRef`, errors });
  }
  if (source.resourceFieldRef) {
    const place = { path: `${path}.resourceFieldRef`, errors };
    validateResourceFieldRef(source.resourceFieldRef, "env", place);
  }
  for (const key of ["configMapKeyRef", "secretKeyRef"] as const) {
    const ref = source[key];
    if (!ref) continue;
    const name = ref.name ?? "";
    errors.push(...invalidEach(`${path}.${key}.name`, name, dns1123Subdomain(name)));
    errors.push(...checkText(`${path}.${key}.key`, ref.key, configMapKey));
  }
  const sources = Object.values(source).filter((value) => value !== undefined).length;
  if (sources === 0) {
    const detail =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    errors.push(invalidValue(path, "", detail));
  } else if ((variable.value ?? "") !== "") {
    errors.push(invalidValue(path, "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    errors.push(invalidValue(path, "", "may not have more than one field specified at a time"));
  }
}

function validateEnvFrom(
  sources: readonly EnvFromSource[],
  path: string,
  errors: FieldError[],
): void {
  for (const [i, source] of sources.entries()) {
    const at = `${path}[${i}]`;
    const { prefix = "" } = source;
    if (prefix !== "") errors.push(...invalidEach(`${at}.prefix`, prefix, envVarName(prefix)));
    const nameRule = (name: string) => nameIsSubdomain(name, true);
    for (const key of ["configMapRef", "secretRef"] as const) {
      const ref = source[key];
      if (ref) errors.push(...checkText(`${at}.${key}.name`, ref.name, nameRule));
    }
    if (!source.configMapRef && !source.secretRef) {
      const detail = "must specify one of: `configMapRef` or `secretRef`";
      errors.push(invalidValue(path, "", detail));
    } else if (source.configMapRef && source.secretRef) {
      errors.push(invalidValue(path, "", "may not have more than one field specified at a time"));
    }
  }
}

function validateMounts(container: Container, path: string, scope: PodScope): void {
  const { errors } = scope;
  const devices = container.volumeDevices ?? [];
  const mountPaths = new Set<string>();
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    const at = `${path}[${i}]`;
    errors.push(...checkText(`${at}.name`, mount.name));
    if (!scope.volumes.has(mount.name)) errors.push(notFoundValue(`${at}.name`, mount.name));
    errors.push(...checkText(`${at}.mountPath`, mount.mountPath));
    if (mountPaths.has(mount.mountPath)) {
      errors.push(invalidValue(`${at}.mountPath`, mount.mountPath, "must be unique"));
    }
    mountPaths.add(mount.mountPath);
    if (devices.some((device) => device.name === mount.name)) {
      const detail = "must not already exist in volumeDevices";
      errors.push(invalidValue(`${at}.name`, mount.name, detail));
    }
    if (devices.some((device) => device.devicePath === mount.mountPath)) {
      const detail = "must not already exist as a path in volumeDevices";
      errors.push(invalidValue(`${at}.mountPath`, mount.mountPath, detail));
    }
    validateSubPaths(mount, path, errors);
    validatePropagation(mount, container, { path: `${path}.mountPropagation`, errors });
  }
}

/** Upstream reports sub-paths on the list, without the mount's index. */
function validateSubPaths(mount: VolumeMount, path: string, errors: FieldError[]): void {
  const { subPath = "", subPathExpr = "" } = mount;
  if (subPath !== "") errors.push(...checkDescendingPath(`${path}.subPath`, subPath));
  if (subPathExpr === "") return;
  if (subPath !== "") {
    const detail = "subPathExpr and subPath are mutually exclusive";
    errors.push(invalidValue(`${path}.subPathExpr`, subPathExpr, detail));
  }
  errors.push(...checkDescendingPath(`${path}.subPathExpr`, subPathExpr));
}

function validatePropagation(
  mount: VolumeMount,
  container: Container,
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  const propagation = mount.mountPropagation;
  if (propagation === undefined) return;
  if (!propagations.includes(propagation)) {
    errors.push(notSupported(path, propagation, propagations));
  }
  if (propagation === "Bidirectional" && container.securityContext?.privileged !== true) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    errors.push(forbiddenField(path, detail));
  }
}

function validateDevices(container: Container, path: string, scope: PodScope): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, device] of (container.volumeDevices ?? []).entries()) {
    const at = `${path}[${i}]`;
    scope.errors.push(...checkText(`${at}.name`, device.name));
    if (names.has(device.name)) {
      scope.errors.push(invalidValue(`${at}.name`, device.name, "must be unique"));
    }
    validateDevice(device, at, scope);
    if (paths.has(device.devicePath)) {
      scope.errors.push(invalidValue(`${at}.devicePath`, device.devicePath, "must be unique"));
    }
    names.add(device.name);
    paths.add(device.devicePath);
  }
}

function validateDevice(device: VolumeDevice, path: string, { errors, volumes }: PodScope): void {
  const volume = volumes.get(device.name);
  if (volume === undefined) errors.push(notFoundValue(`${path}.name`, device.name));
  else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
    const detail =
      "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
    errors.push(invalidValue(`${path}.name`, device.name, detail));
  }
  errors.push(...checkText(`${path}.devicePath`, device.devicePath));
  if (checkNoBacksteps(path, device.devicePath ?? "").length > 0) {
    const detail = "can not contain backsteps ('..')";
    errors.push(invalidValue(`${path}.devicePath`, device.devicePath, detail));
  }
}

function validateClaimReferences(container: Container, path: string, scope: PodScope): void {
  for (const [i, claim] of (container.resources?.claims ?? []).entries()) {
    const at = `${path}[${i}]`;
    if (claim.name === "") scope.errors.push(required(at));
    else if (!scope.claimNames.has(claim.name)) {
      const known = [...scope.claimNames].sort();
      const list = known.length === 0 ? " which is empty" : `: ${known.join(", ")}`;
      const detail = `must be one of the names in pod.spec.resourceClaims${list}`;
      scope.errors.push({ ...notFoundValue(at, claim.name), detail });
    }
  }
}

function validateResizePolicy(container: Container, path: string, scope: PodScope): void {
  const { errors } = scope;
  const seen = new Set<string>();
  for (const [i, policy] of (container.resizePolicy ?? []).entries()) {
    if (seen.has(policy.resourceName)) {
      errors.push(duplicateValue(`${path}[${i}]`, policy.resourceName));
    }
    seen.add(policy.resourceName);
    errors.push(...checkOneOf(path, policy.resourceName, ["cpu", "memory"]));
    errors.push(...checkOneOf(path, policy.restartPolicy, ["NotRequired", "RestartContainer"]));
    if (scope.restartPolicy === "Never" && policy.restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when `restartPolicy` is 'Never'";
      errors.push(invalidValue(path, policy.restartPolicy, detail));
    }
  }
}

function validateSecurityContext(
  context: SecurityContext,
  path: string,
  { errors, hostUsers }: PodScope,
): void {
  errors.push(...checkRange(`${path}.runAsUser`, context.runAsUser, [0, uidMax]));
  errors.push(...checkRange(`${path}.runAsGroup`, context.runAsGroup, [0, uidMax]));
  if (context.procMount !== undefined) {
    if (context.procMount !== "Default" && context.procMount !== "Unmasked") {
      errors.push(notSupported(`${path}.procMount`, context.procMount, ["Default", "Unmasked"]));
    }
    if (hostUsers && context.procMount === "Unmasked") {
      const detail = "`hostUsers` must be false to use `Unmasked`";
      errors.push(invalidValue(`${path}.procMount`, context.procMount, detail));
    }
  }
  if (context.allowPrivilegeEscalation === false) {
    const refused = "cannot set `allowPrivilegeEscalation` to false and";
    if (context.privileged === true) {
      errors.push(invalidValue(path, context, `${refused} \`privileged\` to true`));
    }
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN") === true) {
      errors.push(invalidValue(path, context, `${refused} \`capabilities.Add\` CAP_SYS_ADMIN`));
    }
  }
  validateSecurityProfiles(context, path, errors);
}
