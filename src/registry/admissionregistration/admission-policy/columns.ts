// How admission policies and their bindings are printed, validating and mutating.
import type {
  MutatingAdmissionPolicy,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../api/types/admissionregistration-v1.ts";
import { selectorText } from "../../table/cell-text.ts";
import {
  ageColumn,
  type Column,
  integer,
  nameColumn,
  type Printer,
  printer,
  text,
} from "../../table/column.ts";

export const validatingAdmissionPolicyPrinter: Printer = printer<ValidatingAdmissionPolicy>([
  nameColumn,
  integer("Validations", "Number of rules", ({ spec }) => spec?.validations?.length ?? 0),
  paramKindColumn(),
  ageColumn,
]);

export const mutatingAdmissionPolicyPrinter: Printer = printer<MutatingAdmissionPolicy>([
  nameColumn,
  integer("Mutations", "Number of changes", ({ spec }) => spec?.mutations?.length ?? 0),
  paramKindColumn(),
  ageColumn,
]);

export const admissionPolicyBindingPrinter: Printer = printer<
  Pick<ValidatingAdmissionPolicyBinding, "metadata"> & {
    readonly spec?: { readonly policyName?: string; readonly paramRef?: ParamRef };
  }
>([
  nameColumn,
  text("PolicyName", "Policy it puts in force", ({ spec }) => spec?.policyName ?? ""),
  text("ParamRef", "Parameters the policy is given", ({ spec }) => paramRefText(spec?.paramRef)),
  ageColumn,
]);

function paramKindColumn(): Column<{ readonly spec?: { readonly paramKind?: ParamKind } }> {
  return text("ParamKind", "Kind of the parameters", ({ spec }) =>
    spec?.paramKind ? `${spec.paramKind.apiVersion ?? ""}/${spec.paramKind.kind ?? ""}` : "<unset>",
  );
}

function paramRefText(paramRef: ParamRef | undefined): string {
  if (paramRef?.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  return paramRef?.selector ? selectorText(paramRef.selector) : "<unset>";
}
