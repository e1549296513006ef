// Defaults of dynamic resource allocation requests (upstream: pkg/apis/resource/v1/defaults.go). When a device taint
// was added is not known here.
import type {
  DeviceSubRequest,
  DeviceToleration,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from "../types/resource-v1.ts";

export function defaultResourceClaim(claim: ResourceClaim): void {
  defaultClaimSpec(claim.spec);
}

export function defaultResourceClaimTemplate(template: ResourceClaimTemplate): void {
  defaultClaimSpec(template.spec?.spec);
}

function defaultClaimSpec(spec: ResourceClaimSpec | undefined): void {
  for (const request of spec?.devices?.requests ?? []) {
    if (request.exactly) defaultRequest(request.exactly);
    for (const alternative of request.firstAvailable ?? []) defaultRequest(alternative);
  }
}

function defaultRequest(
  request: Pick<DeviceSubRequest, "allocationMode" | "count" | "tolerations">,
): void {
  request.allocationMode ||= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
  defaultTolerations(request.tolerations);
}

function defaultTolerations(tolerations: DeviceToleration[] | undefined): void {
  for (const toleration of tolerations ?? []) toleration.operator ||= "Equal";
}
