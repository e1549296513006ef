// Validation of probes and lifecycle hooks: one handler each, sound ports, no negative times (upstream:
// pkg/apis/core/validation/validation.go, validateProbe and validateLifecycle).
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type {
  Container,
  HTTPGetAction,
  LifecycleHandler,
  Probe,
  SleepAction,
} from "../types/core-v1.ts";
import { checkNotNegative, checkPositive, checkText, invalidEach } from "./checks.ts";
import { httpHeaderName, portName, portNumber } from "./names.ts";

const schemes = ["HTTP", "HTTPS"];
const times = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

export interface HookScope {
  readonly errors: FieldError[];
  readonly gracePeriodSeconds: number | undefined;
}

/** Lifecycle and probes of a container that runs as long as its pod. */
export function validateHooks(container: Container, path: string, scope: HookScope): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const { postStart, preStop } = lifecycle ?? {};
  if (postStart) validateHandler(postStart, `${path}.lifecycle.postStart`, scope);
  if (preStop) validateHandler(preStop, `${path}.lifecycle.preStop`, scope);
  if (livenessProbe) validateProbe(livenessProbe, `${path}.livenessProbe`, scope);
  checkSingleSuccess(livenessProbe, `${path}.livenessProbe`, scope.errors);
  if (readinessProbe) {
    validateProbe(readinessProbe, `${path}.readinessProbe`, scope);
    const seconds = readinessProbe.terminationGracePeriodSeconds;
    if (seconds !== undefined) {
      const at = `${path}.readinessProbe.terminationGracePeriodSeconds`;
      scope.errors.push(invalidValue(at, seconds, "must not be set for readinessProbes"));
    }
  }
  if (startupProbe) validateProbe(startupProbe, `${path}.startupProbe`, scope);
  checkSingleSuccess(startupProbe, `${path}.startupProbe`, scope.errors);
}

export function checkPortNumberOrName(
  path: string,
  port: number | string | undefined,
): readonly FieldError[] {
  if (typeof port === "string") return invalidEach(path, port, portName(port));
  return invalidEach(path, port ?? 0, portNumber(port ?? 0));
}

function checkSingleSuccess(probe: Probe | undefined, path: string, errors: FieldError[]): void {
  if (!probe || probe.successThreshold === 1) return;
  errors.push(invalidValue(`${path}.successThreshold`, probe.successThreshold ?? 0, "must be 1"));
}

function validateProbe(probe: Probe, path: string, scope: HookScope): void {
  validateHandler(probe, path, scope);
  for (const key of times) scope.errors.push(...checkNotNegative(`${path}.${key}`, probe[key]));
  const at = `${path}.terminationGracePeriodSeconds`;
  scope.errors.push(...checkPositive(at, probe.terminationGracePeriodSeconds));
}

const handlers = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;
type Handler = Probe & LifecycleHandler;

function validateHandler(handler: Handler, path: string, scope: HookScope): void {
  const { errors } = scope;
  const given = handlers.filter((key) => handler[key] !== undefined);
  for (const [i, key] of given.entries()) {
    const at = `${path}.${key}`;
    if (i > 0) errors.push(forbiddenField(at, "may not specify more than 1 handler type"));
    else validateAction(handler, at, scope);
  }
  if (given.length === 0) errors.push(required(path, "must specify a handler type"));
}

/** The handler's first action; `path` is its own. */
function validateAction(handler: Handler, path: string, scope: HookScope): void {
  const { errors } = scope;
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec) {
    if ((exec.command ?? []).length === 0) errors.push(required(`${path}.command`));
  } else if (httpGet) validateHttpGet(httpGet, path, errors);
  else if (tcpSocket) errors.push(...checkPortNumberOrName(`${path}.port`, tcpSocket.port));
  else if (grpc) errors.push(...checkPortNumberOrName(`${path}.port`, grpc.port));
  else if (sleep) validateSleep(sleep, path, scope);
}

function validateHttpGet(action: HTTPGetAction, path: string, errors: FieldError[]): void {
  errors.push(...checkText(`${path}.path`, action.path));
  errors.push(...checkPortNumberOrName(`${path}.port`, action.port));
  const { scheme = "" } = action;
  if (!schemes.includes(scheme)) errors.push(notSupported(`${path}.scheme`, scheme, schemes));
  for (const { name } of action.httpHeaders ?? []) {
    errors.push(...invalidEach(`${path}.httpHeaders`, name, httpHeaderName(name)));
  }
}

function validateSleep(
  { seconds }: SleepAction,
  path: string,
  { errors, gracePeriodSeconds }: HookScope,
): void {
  if (gracePeriodSeconds === undefined) return;
  if (seconds >= 0 && seconds <= gracePeriodSeconds) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`;
  errors.push(invalidValue(path, seconds, detail));
}
