// Validation of a pod's volumes: each has a unique name and exactly one source that says what it must (upstream:
// pkg/apis/core/validation/validation.go, ValidateVolumes). Fields of retired in-tree drivers are not judged.
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../meta/field-error.ts";
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from "../types/core-v1.ts";
import { validateClaimSpec } from "./claim-validation.ts";
import { checkOptionalOneOf, checkText } from "./checks.ts";
import { validateFieldRef, validateResourceFieldRef } from "./downward-validation.ts";
import { configMapKey, dns1123Label } from "./names.ts";
import { checkDescendingPath, checkFreePath, checkHostPath } from "./path-rules.ts";
import { pullPolicies } from "./container-validation.ts";

const fileModeMax = 0o777;
const tokenExpirationSeconds = { min: 600, max: 2 ** 32 };

/** Complains into `errors`; the sound volumes come back by name, for mounts to refer to. */
export function validateVolumes(
  volumes: readonly Volume[],
  path: string,
  errors: FieldError[],
): ReadonlyMap<string, Volume> {
  const sound = new Map<string, Volume>();
  for (const [i, volume] of volumes.entries()) {
    const at = `${path}[${i}]`;
    const before = errors.length;
    validateSource(volume, at, errors);
    errors.push(...checkText(`${at}.name`, volume.name, dns1123Label));
    if (sound.has(volume.name)) errors.push(duplicateValue(`${at}.name`, volume.name));
    if (errors.length === before) sound.set(volume.name, volume);
  }
  return sound;
}

function validateSource(volume: Volume, path: string, errors: FieldError[]): void {
  let sources = 0;
  for (const key in volume) {
    if (key === "name" || volume[key as keyof Volume] === undefined) continue;
    sources++;
    if (sources > 1) {
      const detail = "may not specify more than 1 volume type";
      errors.push(forbiddenField(`${path}.${key}`, detail));
    } else {
      sourceRules[key]?.(volume, `${path}.${key}`, errors);
    }
  }
  if (sources === 0) errors.push(required(path, "must specify a volume type"));
}

type SourceRule = (volume: Volume, path: string, errors: FieldError[]) => void;

const sourceRules: Readonly<Record<string, SourceRule>> = {
  hostPath({ hostPath }, path, errors) {
    errors.push(...checkHostPath(hostPath, path));
  },
  emptyDir({ emptyDir }, path, errors) {
    if (emptyDir?.sizeLimit?.startsWith("-") !== true) return;
    const detail = "SizeLimit field must be a valid resource quantity";
    errors.push(forbiddenField(`${path}.sizeLimit`, detail));
  },
  gitRepo({ gitRepo }, path, errors) {
    errors.push(...checkText(`${path}.repository`, gitRepo?.repository));
  },
  secret({ secret }, path, errors) {
    errors.push(...checkText(`${path}.secretName`, secret?.secretName));
    checkMode(`${path}.defaultMode`, secret?.defaultMode, errors);
    validateItems(secret?.items ?? [], `${path}.items`, errors);
  },
  configMap({ configMap }, path, errors) {
    errors.push(...checkText(`${path}.name`, configMap?.name));
    checkMode(`${path}.defaultMode`, configMap?.defaultMode, errors);
    validateItems(configMap?.items ?? [], `${path}.items`, errors);
  },
  nfs({ nfs }, path, errors) {
    errors.push(...checkText(`${path}.server`, nfs?.server));
    errors.push(...checkText(`${path}.path`, nfs?.path));
    if (nfs?.path.startsWith("/") === false) {
      errors.push(invalidValue(`${path}.path`, nfs.path, "must be an absolute path"));
    }
  },
  persistentVolumeClaim({ persistentVolumeClaim }, path, errors) {
    errors.push(...checkText(`${path}.claimName`, persistentVolumeClaim?.claimName));
  },
  downwardAPI({ downwardAPI }, path, errors) {
    checkMode(`${path}.defaultMode`, downwardAPI?.defaultMode, errors);
    for (const item of downwardAPI?.items ?? []) validateDownwardFile(item, path, errors);
  },
  projected({ projected }, path, errors) {
    if (projected) validateProjected(projected, path, errors);
  },
  csi({ csi }, path, errors) {
    errors.push(...checkText(`${path}.driver`, csi?.driver));
  },
  ephemeral({ ephemeral }, path, errors) {
    const template = ephemeral?.volumeClaimTemplate;
    if (template) validateClaimSpec(template.spec, `${path}.volumeClaimTemplate.spec`, errors);
    else errors.push(required(`${path}.volumeClaimTemplate`));
  },
  image({ image }, path, errors) {
    errors.push(...checkText(`${path}.reference`, image?.reference));
    errors.push(...checkOptionalOneOf(`${path}.pullPolicy`, image?.pullPolicy, pullPolicies));
  },
};

function validateItems(items: readonly KeyToPath[], path: string, errors: FieldError[]): void {
  for (const [i, item] of items.entries()) {
    const at = `${path}[${i}]`;
    errors.push(...checkText(`${at}.key`, item.key, configMapKey));
    errors.push(...checkFilePath(`${at}.path`, item.path));
    checkMode(`${at}.mode`, item.mode, errors);
  }
}

function validateDownwardFile(
  file: DownwardAPIVolumeFile,
  path: string,
  errors: FieldError[],
): void {
  errors.push(...checkFilePath(`${path}.path`, file.path));
  if (file.fieldRef) {
    validateFieldRef(file.fieldRef, "volume", { path: `${path}.fieldRef`, errors });
    if (file.resourceFieldRef) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      errors.push(invalidValue(path, "resource", detail));
    }
  } else if (file.resourceFieldRef) {
    const scope = { path: `${path}.resourceFieldRef`, errors };
    validateResourceFieldRef(file.resourceFieldRef, "volume", scope);
  } else {
    errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  checkMode(`${path}.mode`, file.mode, errors);
}

function validateProjected(
  projected: ProjectedVolumeSource,
  path: string,
  errors: FieldError[],
): void {
  checkMode(`${path}.defaultMode`, projected.defaultMode, errors);
  for (const [i, source] of (projected.sources ?? []).entries()) {
    validateProjection(source, `${path}.sources[${i}]`, errors);
  }
}

function validateProjection(source: VolumeProjection, path: string, errors: FieldError[]): void {
  if (Object.values(source).filter((value) => value !== undefined).length > 1) {
    errors.push(forbiddenField(path, "may not specify more than 1 volume type per source"));
    return;
  }
  if (source.secret) {
    errors.push(...checkText(`${path}.secret.name`, source.secret.name));
    validateItems(source.secret.items ?? [], `${path}.secret.items`, errors);
  }
  if (source.configMap) {
    errors.push(...checkText(`${path}.configMap.name`, source.configMap.name));
    validateItems(source.configMap.items ?? [], `${path}.configMap.items`, errors);
  }
  for (const item of source.downwardAPI?.items ?? []) {
    validateDownwardFile(item, `${path}.downwardAPI`, errors);
  }
  const token = source.serviceAccountToken;
  if (!token) return;
  const at = `${path}.serviceAccountToken`;
  const seconds = token.expirationSeconds ?? tokenExpirationSeconds.min;
  if (seconds < tokenExpirationSeconds.min) {
    const detail = "may not specify a duration less than 10 minutes";
    errors.push(invalidValue(`${at}.expirationSeconds`, seconds, detail));
  }
  if (seconds > tokenExpirationSeconds.max) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    errors.push(invalidValue(`${at}.expirationSeconds`, seconds, detail));
  }
  errors.push(...checkFilePath(`${at}.path`, token.path));
}

/** Where a file appears inside its volume. */
function checkFilePath(path: string, file: string | undefined): readonly FieldError[] {
  if (file === undefined || file === "") return [required(path)];
  return [...checkDescendingPath(path, file), ...checkFreePath(path, file)];
}

function checkMode(path: string, mode: number | undefined, errors: FieldError[]): void {
  if (mode === undefined || (mode >= 0 && mode <= fileModeMax)) return;
  const detail = "must be a number between 0 and 0777 (octal), both inclusive";
  errors.push(invalidValue(path, mode, detail));
}
