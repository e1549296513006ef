// Validation of the seccomp and AppArmor profiles that pods and containers name (upstream:
// pkg/apis/core/validation/validation.go).
import { type FieldError, invalidValue, notSupported, required } from "../meta/field-error.ts";
import type { AppArmorProfile, SeccompProfile } from "../types/core-v1.ts";
import { checkDescendingPath } from "./path-rules.ts";

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

interface Profiles {
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
}

export function validateSecurityProfiles(
  { seccompProfile, appArmorProfile }: Profiles,
  path: string,
  errors: FieldError[],
): void {
  if (seccompProfile) validateSeccomp(seccompProfile, `${path}.seccompProfile`, errors);
  if (appArmorProfile) validateAppArmor(appArmorProfile, `${path}.appArmorProfile`, errors);
}

function validateSeccomp(profile: SeccompProfile, path: string, errors: FieldError[]): void {
  const { type, localhostProfile } = profile;
  if (type === "") {
    errors.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  } else if (!profileTypes.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, profileTypes));
  }
  const at = `${path}.localhostProfile`;
  if (type !== "Localhost") {
    if (localhostProfile !== undefined) {
      errors.push(invalidValue(at, profile, "can only be set when seccomp type is Localhost"));
    }
  } else if (localhostProfile === undefined) {
    errors.push(required(at, "must be set when seccomp type is Localhost"));
  } else {
    errors.push(...checkDescendingPath(at, localhostProfile));
  }
}

function validateAppArmor(profile: AppArmorProfile, path: string, errors: FieldError[]): void {
  const { type, localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  if (type === "Localhost") {
    if ((localhostProfile ?? "").trim() === "") {
      errors.push(required(at, "must be set when AppArmor type is Localhost"));
    } else if (localhostProfile?.trim() !== localhostProfile) {
      errors.push(invalidValue(at, localhostProfile, "must not be padded with whitespace"));
    }
  } else if (type === "") {
    errors.push(required(`${path}.type`, "type is required when appArmorProfile is set"));
  } else if (!profileTypes.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, profileTypes));
  } else if (localhostProfile !== undefined) {
    const detail = "can only be set when AppArmor type is Localhost";
    errors.push(invalidValue(at, localhostProfile, detail));
  }
}
