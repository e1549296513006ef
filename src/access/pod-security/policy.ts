// Which pod security level a namespace asks for, by its labels, and what a pod has against it (upstream:
// pod-security-admission/api/helpers.go, policy/registry.go).
import { type FieldError, invalidValue } from "../../api/meta/field-error.ts";
import { baselineChecks } from "./baseline-checks.ts";
import type { Check, CheckPod, CheckedPod, Violation } from "./check.ts";
import { restrictedChecks } from "./restricted-checks.ts";

export const levels = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof levels)[number];

export interface LevelVersion {
  readonly level: Level;
  /** The minor of Kubernetes whose rules hold; undefined: the newest. */
  readonly minor: number | undefined;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
}

export interface ReadPolicy extends Policy {
  /** What is wrong with the labels. */
  readonly errors: readonly FieldError[];
}

/** The rules of this server. */
const newestMinor = 36;
const prefix = "pod-security.kubernetes.io/";
const unlabelled: LevelVersion = { level: "privileged", minor: undefined };

export function readPolicy(labels: Readonly<Record<string, string>> | undefined): ReadPolicy {
  const all = labels ?? {};
  const errors: FieldError[] = [];
  const enforce = readMode(all, "enforce", errors);
  readMode(all, "audit", errors);
  const warn = readMode(all, "warn", errors);
  return {
    enforce: { level: enforce.level ?? "restricted", minor: enforce.minor },
    warn: warnedBy(all, enforce, warn),
    errors,
  };
}

export function isPrivileged({ enforce, warn, errors }: ReadPolicy): boolean {
  return enforce.level === "privileged" && warn.level === "privileged" && errors.length === 0;
}

/** `restricted:latest`, `baseline:v1.30`. */
export function levelText({ level, minor }: LevelVersion): string {
  return `${level}:${minor === undefined ? "latest" : `v1.${minor}`}`;
}

export function isStricter(a: Level, b: Level): boolean {
  return levels.indexOf(a) > levels.indexOf(b);
}

export function violationsOf(pod: CheckedPod, { level, minor }: LevelVersion): Violation[] {
  if (level === "privileged") return [];
  const at = Math.min(minor ?? newestMinor, newestMinor);
  return checksOf(level, at).flatMap((check) => check(pod) ?? []);
}

/** `hostPort (container "c" uses hostPort 80), privileged (...)`. */
export function detailOf(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}

interface Mode {
  /** Undefined: the label says something that is no level. */
  readonly level: Level | undefined;
  readonly minor: number | undefined;
}

function readMode(
  labels: Readonly<Record<string, string>>,
  mode: "enforce" | "audit" | "warn",
  errors: FieldError[],
): Mode {
  const said = labels[prefix + mode];
  const level = said === undefined ? unlabelled.level : levels.find((one) => one === said);
  if (level === undefined) complain(errors, mode, said, `must be one of ${levels.join(", ")}`);
  const versionLabel = `${mode}-version`;
  const version = labels[prefix + versionLabel] ?? "latest";
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(version)?.[1];
  if (version !== "latest" && minor === undefined)
    complain(errors, versionLabel, version, 'must be "latest" or "v1.x"');
  return { level, minor: minor === undefined ? undefined : Number(minor) };
}

function complain(errors: FieldError[], label: string, value: unknown, why: string): void {
  errors.push(invalidValue(`metadata.labels[${prefix}${label}]`, value, why));
}

/** Who enforces a level wants to be warned of it where it cannot be enforced yet: in templates. */
function warnedBy(
  labels: Readonly<Record<string, string>>,
  enforce: Mode,
  { level = "privileged", minor }: Mode,
): LevelVersion {
  const own: LevelVersion = { level, minor };
  if (labels[`${prefix}warn`] !== undefined || enforce.level === undefined) return own;
  if (!isStricter(enforce.level, level)) return own;
  const hasVersion = labels[`${prefix}warn-version`] !== undefined;
  return { level: enforce.level, minor: hasVersion ? minor : enforce.minor };
}

function checksOf(level: Level, minor: number): CheckPod[] {
  const versionOf = ({ versions }: Check): CheckPod[] =>
    versions
      .filter(([from]) => from <= minor)
      .slice(-1)
      .map(([, check]) => check);
  if (level === "baseline") return baselineChecks.flatMap(versionOf);
  const restricted = restrictedChecks.filter((check) => versionOf(check).length > 0);
  const replaced = new Set(restricted.map(({ replaces }) => replaces));
  const kept = baselineChecks.filter(({ id }) => !replaced.has(id));
  return [...kept, ...restricted].flatMap(versionOf);
}
