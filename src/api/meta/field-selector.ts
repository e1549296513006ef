// Placeholder types until the parser lands in this file: the compiled field selector.
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}
/** Terms are ANDed; empty selects everything. */
export type FieldSelector = readonly FieldRequirement[];
