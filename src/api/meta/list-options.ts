// The query parameters of LIST, WATCH and DELETECOLLECTION, parsed and checked (upstream:
// apimachinery/pkg/apis/meta/internalversion/validation). Selectors are parsed later, where the resource's selectable
// fields are known.
import { invalid } from "./errors.ts";
import { type FieldError, forbiddenField, notSupported } from "./field-error.ts";

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** "" when absent. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0 when absent. */
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** Options as a request without parameters has them. */
export const noListOptions: ListOptions = {
  labelSelector: "",
  fieldSelector: "",
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continue: "",
  timeoutSeconds: undefined,
  allowWatchBookmarks: false,
  sendInitialEvents: undefined,
};

/** Where options are read from; typed readers throw 400 with Go's words. */
export interface OptionSource {
  first(name: string): string | undefined;
  integer(name: string): number | undefined;
  flag(name: string): boolean | undefined;
}

export function readListOptions(source: OptionSource): ListOptions {
  return {
    labelSelector: source.first("labelSelector") ?? "",
    fieldSelector: source.first("fieldSelector") ?? "",
    resourceVersion: source.first("resourceVersion") ?? "",
    resourceVersionMatch: source.first("resourceVersionMatch") ?? "",
    limit: source.integer("limit") ?? 0,
    continue: source.first("continue") ?? "",
    timeoutSeconds: source.integer("timeoutSeconds"),
    allowWatchBookmarks: source.flag("allowWatchBookmarks") ?? false,
    sendInitialEvents: source.flag("sendInitialEvents"),
  };
}

/** Throws 422 when parameters contradict each other. */
export function checkListOptions(options: ListOptions, verb: "list" | "watch"): void {
  const errors = verb === "list" ? listErrors(options) : watchErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
}

const matchField = "resourceVersionMatch";
const withContinue = forbiddenField(
  matchField,
  "resourceVersionMatch is forbidden when continue is provided",
);

function listErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== "") {
    if (options.resourceVersion === "") {
      const why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
      errors.push(forbiddenField(matchField, why));
    }
    if (options.continue !== "") errors.push(withContinue);
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupported(matchField, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && options.resourceVersion === "0") {
      const why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
      errors.push(forbiddenField(matchField, why));
    }
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

function watchErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    errors.push(forbiddenField(matchField, why));
  }
  if (match === "") return errors;
  if (options.sendInitialEvents === undefined) {
    const why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push(forbiddenField(matchField, why));
  }
  if (match !== "NotOlderThan") errors.push(notSupported(matchField, match, ["NotOlderThan"]));
  if (options.continue !== "") errors.push(withContinue);
  return errors;
}
