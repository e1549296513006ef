// Rules for file paths inside volumes and on hosts (upstream: pkg/apis/core/validation/validation.go).
import { type FieldError, invalidValue } from "../meta/field-error.ts";

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
