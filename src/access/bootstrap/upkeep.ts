// How an object that is already there is brought up to date with what a server starts with: never more than upstream's
// reconcilers would change, so that what administrators added stays. Pure.
import type { KubeObject } from "../../api/object.ts";
import type { PolicyRule, RoleRef, Subject } from "../../api/types/rbac-v1.ts";
import { missingRules } from "../policy-rule.ts";
import { autoUpdateSpecAnnotation } from "../../api/flow-control-objects.ts";
import { autoUpdateAnnotation } from "./policy-builder.ts";
import { equalJson } from "../../std/json.ts";

type Current = Readonly<KubeObject>;

type UpkeepResult =
  | { readonly action: "Keep" }
  | { readonly action: "Update"; readonly object: KubeObject }
  /** A binding's roleRef cannot be changed: delete, then create. */
  | { readonly action: "Recreate" };

export type Upkeep = (current: Current, wanted: KubeObject) => UpkeepResult;

const keep: UpkeepResult = { action: "Keep" };

/** Made once, the administrator's from then on. */
export const keepAsIs: Upkeep = () => keep;

/** Everything but metadata and status is the server's. */
export const keepContent: Upkeep = (current, wanted) => {
  const { metadata: _, status: __, ...content } = wanted;
  return updated(current, content);
};

/** The spec is the server's. */
export const keepSpec: Upkeep = (current, wanted) => updated(current, { spec: wanted["spec"] });

/** So that it stands on the object, an annotation that says otherwise is set right too. */
export const keepMandatorySpec: Upkeep = (current, wanted) => {
  const annotations = { ...current.metadata.annotations, [autoUpdateSpecAnnotation]: "true" };
  const metadata = { ...current.metadata, annotations };
  // How many seats the exempt lend is the administrator's.
  const { exempt } = (current["spec"] ?? {}) as { readonly exempt?: object };
  const fixed = wanted["spec"] as { readonly exempt?: object };
  const spec = fixed.exempt === undefined ? fixed : { ...fixed, exempt: exempt ?? fixed.exempt };
  return updated(current, { metadata, spec });
};

/** The spec is the server's, unless the annotation says otherwise, or is gone from an object that somebody changed. */
export const keepSuggestedSpec: Upkeep = (current, wanted) => {
  const said = current.metadata.annotations?.[autoUpdateSpecAnnotation];
  const isOurs = said === undefined ? current.metadata.generation === 1 : said === "true";
  const annotations = { ...current.metadata.annotations, [autoUpdateSpecAnnotation]: `${isOurs}` };
  const metadata = { ...current.metadata, annotations };
  return updated(current, isOurs ? { metadata, spec: wanted["spec"] } : { metadata });
};

/** The Service's address is its own; only where it leads to is kept up. */
export const keepServicePorts: Upkeep = (current, wanted) => {
  const { ports } = wanted["spec"] as { ports: unknown };
  const spec = (current["spec"] ?? {}) as Readonly<Record<string, unknown>>;
  return updated(current, { spec: { ...spec, ports } });
};

/** Missing rules, subjects and marks are added; nothing is taken away (upstream: rbac/reconciliation). */
export const keepPolicy: Upkeep = (current, wanted) => {
  if (current.metadata.annotations?.[autoUpdateAnnotation] === "false") return keep;
  const roleRef = wanted["roleRef"] as RoleRef | undefined;
  if (roleRef !== undefined && !equalJson(current["roleRef"], roleRef))
    return { action: "Recreate" };
  const content =
    roleRef === undefined ? roleContent(current, wanted) : bindingContent(current, wanted);
  const { labels, annotations } = wanted.metadata;
  const metadata = {
    ...current.metadata,
    labels: { ...labels, ...current.metadata.labels },
    annotations: { ...annotations, ...current.metadata.annotations },
  };
  return updated(current, { metadata, ...content });
};

function roleContent(current: Current, wanted: KubeObject): Partial<KubeObject> {
  const held = (current["rules"] ?? []) as PolicyRule[];
  const rules = (wanted["rules"] ?? []) as PolicyRule[];
  // Nearly always every rule stands where it was put; what covers what is a matter of all rules against all.
  const missing = rules.filter(
    (rule, i) => !equalJson(held[i], rule) && missingRules(held, [rule]).length > 0,
  );
  const { aggregationRule } = wanted;
  return {
    ...(missing.length === 0 ? {} : { rules: [...held, ...missing] }),
    ...(aggregationRule === undefined ? {} : { aggregationRule }),
  };
}

function bindingContent(current: Current, wanted: KubeObject): Partial<KubeObject> {
  const held = (current["subjects"] ?? []) as Subject[];
  const subjects = (wanted["subjects"] ?? []) as Subject[];
  const missing = subjects.filter((subject) => !held.some((known) => equalJson(known, subject)));
  return missing.length === 0 ? {} : { subjects: [...held, ...missing] };
}

/** Defaults that the server filled in later are no difference: only what is wanted is compared. */
function updated(current: Current, content: Readonly<Record<string, unknown>>): UpkeepResult {
  const differs = Object.entries(content).some(
    ([field, value]) => !holdsAll(current[field], value),
  );
  if (!differs) return keep;
  return { action: "Update", object: { ...current, ...content } };
}

/** Lists have to be the same length; objects may hold more than is wanted. */
function holdsAll(current: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(current) || current.length !== wanted.length) return false;
    return wanted.every((item, i) => holdsAll(current[i], item));
  }
  if (typeof wanted !== "object" || wanted === null) return current === wanted;
  if (typeof current !== "object" || current === null) return false;
  const held = current as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(
    ([field, value]) => value === undefined || holdsAll(held[field], value),
  );
}
