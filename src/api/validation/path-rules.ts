// Rules for file paths inside volumes and on hosts (upstream: pkg/apis/core/validation/validation.go).
import { type FieldError, invalidValue, required } from "../meta/field-error.ts";
import type { HostPathVolumeSource } from "../types/core-v1.ts";
import { checkOptionalOneOf } from "./checks.ts";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** Stays below where it starts. */
export function checkDescendingPath(path: string, file: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (file.startsWith("/")) errors.push(invalidValue(path, file, "must be a relative path"));
  errors.push(...checkNoBacksteps(path, file));
  return errors;
}

export function checkNoBacksteps(path: string, file: string): readonly FieldError[] {
  return file.split("/").includes("..") ? [invalidValue(path, file, "must not contain '..'")] : [];
}

/** Names that begin with two dots are kept for how volumes are written atomically. */
export function checkFreePath(path: string, file: string): readonly FieldError[] {
  if (!file.startsWith("..") || file.startsWith("../")) return [];
  return [invalidValue(path, file, "must not start with '..'")];
}

/** Of a pod's volume and of a persistent one. */
export function checkHostPath(
  source: HostPathVolumeSource | undefined,
  path: string,
): readonly FieldError[] {
  const { path: file = "", type } = source ?? {};
  if (file === "") return [required(`${path}.path`)];
  return [
    ...checkNoBacksteps(`${path}.path`, file),
    ...checkOptionalOneOf(`${path}.type`, type, hostPathTypes),
  ];
}
