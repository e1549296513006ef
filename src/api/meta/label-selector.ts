// Placeholder types until the parser lands in this file: the compiled label selector.
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "=" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";
  readonly values: readonly string[];
}
/** Terms are ANDed; empty selects everything. */
export type LabelSelector = readonly LabelRequirement[];
