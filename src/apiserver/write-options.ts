// The options of writes, from the query or a DeleteOptions body, checked with Kubernetes' words (upstream:
// apimachinery/pkg/apis/meta/v1/validation).
import { invalid } from "../api/meta/errors.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  tooLong,
} from "../api/meta/field-error.ts";
import type { DeleteOptions } from "../api/types/meta-v1.ts";
import type { Query } from "./query.ts";
import { utf8Length } from "../std/utf8.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Explicit, or the default taken from the User-Agent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const managerBytesMax = 128;

/** 422 when something does not fit; `kind` names the options in the message. */
export function readWriteOptions(
  query: Query,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  userAgent: string,
): WriteOptions {
  const manager = query.first("fieldManager") ?? "";
  const dryRun = query.all("dryRun");
  const validation = query.first("fieldValidation") ?? "";
  const errors = query.raw === "" ? [] : optionErrors(manager, dryRun, validation);
  if (kind === "PatchOptions" && query.flag("force") !== undefined)
    errors.unshift(forbiddenField("force", "may not be specified for non-apply patch"));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager === "" ? managerOf(userAgent) : manager,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
  };
}

function optionErrors(
  manager: string,
  dryRun: readonly string[],
  validation: string,
): FieldError[] {
  const errors = [...managerErrors(manager), ...dryRunErrors(dryRun)];
  if (!["", "Ignore", "Strict", "Warn"].includes(validation))
    errors.push(notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]));
  return errors;
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (utf8Length(manager) > managerBytesMax) errors.push(tooLong("fieldManager", managerBytesMax));
  let position = 0;
  for (const char of manager) {
    if (!isPrintable(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      const why = `invalid character U+${code} (at position ${position})`;
      errors.push(invalidValue("fieldManager", manager, why));
    }
    position += utf8Length(char);
  }
  return errors;
}

function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((word) => word === "All")) return [];
  return [notSupported("dryRun", dryRun, ["All"])];
}

/** As unicode.IsPrint: graphic characters and the plain space. */
function isPrintable(char: string): boolean {
  return char === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

/** Nothing to leave out, one byte a character: the common case. */
const plainManager = /^[\x20-\x7e]{0,128}$/;

/** The User-Agent up to its first slash, printable, at most 128 bytes. */
export function managerOf(userAgent: string): string {
  const slash = userAgent.indexOf("/");
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash);
  if (plainManager.test(product)) return product;
  let manager = "";
  let bytes = 0;
  for (const char of product) {
    if (!isPrintable(char)) continue;
    bytes += utf8Length(char);
    if (bytes > managerBytesMax) break;
    manager += char;
  }
  return manager;
}

export function deleteOptionsOf(query: Query): DeleteOptions {
  const grace = query.integer("gracePeriodSeconds");
  const orphan = query.flag("orphanDependents");
  const policy = query.first("propagationPolicy");
  const dryRun = query.all("dryRun");
  const ignore = query.flag("ignoreStoreReadErrorWithClusterBreakingPotential");
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(dryRun.length === 0 ? {} : { dryRun: [...dryRun] }),
    ...(ignore === undefined ? {} : { ignoreStoreReadErrorWithClusterBreakingPotential: ignore }),
  };
}

const policies: readonly string[] = ["Foreground", "Background", "Orphan"];

export function checkDeleteOptions(options: DeleteOptions): void {
  const errors: FieldError[] = [];
  const policy = options.propagationPolicy;
  if (options.orphanDependents !== undefined && policy !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalidValue("propagationPolicy", policy, why));
  }
  if (policy !== undefined && !policies.includes(policy))
    errors.push(notSupported("propagationPolicy", policy, [...policies, "nil"]));
  errors.push(...dryRunErrors(options.dryRun ?? []));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}
