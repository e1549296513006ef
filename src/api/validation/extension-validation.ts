// Validation of the names, versions and scope of CustomResourceDefinitions, and of APIServices (upstream:
// apiextensions/validation, apiregistration/validation). Schemas have a file of their own.
import { type FieldError, invalidValue, required } from "../meta/field-error.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "../types/apiextensions-v1.ts";
import type { APIService } from "../types/apiregistration-v1.ts";
import { checkImmutable, checkOneOf, checkRange, checkText, invalidEach } from "./checks.ts";
import { validatePrinterColumns, validateCustomSchema } from "./custom-schema-validation.ts";
import { type Complaints, dns1035Label, dns1123Subdomain, pathSegment } from "./names.ts";
import { semanticallyEqual } from "./semantic-equality.ts";

const groupPriorityMax = 20_000;
const versionPriorityMax = 1_000;

/** A CRD's name says where its resource is: PLURAL.GROUP. */
export function customResourceDefinitionName(
  definition: CustomResourceDefinition,
  name: string,
): Complaints {
  const complaints = dns1123Subdomain(name);
  const wanted = `${definition.spec?.names?.plural ?? ""}.${definition.spec?.group ?? ""}`;
  return name === wanted ? complaints : [...complaints, 'must be spec.names.plural+"."+spec.group'];
}

/** An APIService's name says what it serves: VERSION.GROUP. */
export function apiServiceName(apiService: APIService, name: string): Complaints {
  const complaints = pathSegment(name);
  const wanted = `${apiService.spec?.version ?? ""}.${apiService.spec?.group ?? ""}`;
  if (complaints.length > 0 || name === wanted) return complaints;
  return [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
}

export function validateCustomResourceDefinition(
  definition: CustomResourceDefinition,
  errors: FieldError[],
): void {
  validateDefinition(definition, errors);
  validateStoredVersions(definition, errors);
}

function validateDefinition(definition: CustomResourceDefinition, errors: FieldError[]): void {
  const { spec } = definition;
  const group = spec?.group ?? "";
  if (group === "") errors.push(required("spec.group"));
  else {
    const complaints = dns1123Subdomain(group);
    if (complaints.length > 0) errors.push(invalidValue("spec.group", group, complaints.join(",")));
    else if (!group.includes(".")) {
      const detail = "should be a domain with at least one dot";
      errors.push(invalidValue("spec.group", group, detail));
    }
  }
  errors.push(...checkOneOf("spec.scope", spec?.scope, ["Cluster", "Namespaced"]));
  const versions = spec?.versions ?? [];
  validateVersions(spec, errors);
  if (spec?.preserveUnknownFields === true) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    errors.push(invalidValue("spec.preserveUnknownFields", true, detail));
  }
  validateNames(spec?.names, errors);
  const [first] = versions;
  if (first === undefined) return;
  if (hasSameValue(versions, "schema")) {
    validateCustomSchema(first.schema, "spec.validation", errors);
  }
  if (!hasSameValue(versions, "additionalPrinterColumns")) return;
  const columns = first.additionalPrinterColumns;
  validatePrinterColumns(columns, "spec.additionalPrinterColumns", errors);
}

function hasSameValue(
  versions: readonly CustomResourceDefinitionVersion[],
  key: SharedKey,
): boolean {
  return versions.every((version) => semanticallyEqual(version[key], versions[0]?.[key]));
}

export function validateCustomResourceDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
  errors: FieldError[],
): void {
  validateDefinition(definition, errors);
  const { group, scope, names }: Partial<CustomResourceDefinitionSpec> = definition.spec ?? {};
  const isEstablished = (old.status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
  if (isEstablished) {
    errors.push(...checkImmutable("spec.scope", scope ?? "", old.spec?.scope));
    errors.push(...checkImmutable("spec.names.kind", names?.kind ?? "", old.spec?.names?.kind));
  }
  errors.push(...checkImmutable("spec.group", group, old.spec?.group));
  errors.push(...checkImmutable("spec.names.plural", names?.plural, old.spec?.names?.plural));
  validateStoredVersions(definition, errors);
}

/** What an APIService serves stays what its name says. */
export function validateAPIServiceUpdate(
  apiService: APIService,
  _: APIService,
  errors: FieldError[],
): void {
  const { name = "" } = apiService.metadata;
  errors.push(...invalidEach("metadata.name", name, apiServiceName(apiService, name)));
  validateAPIService(apiService, errors);
}

export function validateAPIService(apiService: APIService, errors: FieldError[]): void {
  const spec = apiService.spec ?? { groupPriorityMinimum: 0, versionPriority: 0 };
  const { group = "", version = "", service, caBundle = "" } = spec;
  if (group === "" && version !== "v1") {
    const detail = "only v1 may have an empty group and it better be legacy kube";
    errors.push(required("spec.group", detail));
  }
  if (group !== "") errors.push(...invalidEach("spec.group", group, dns1123Subdomain(group)));
  errors.push(...invalidEach("spec.version", version, dns1035Label(version)));
  const { groupPriorityMinimum, versionPriority } = spec;
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > groupPriorityMax) {
    const detail = `must be positive and less than ${groupPriorityMax}`;
    errors.push(invalidValue("spec.groupPriorityMinimum", groupPriorityMinimum, detail));
  }
  if (versionPriority <= 0 || versionPriority > versionPriorityMax) {
    const detail = `must be positive and less than ${versionPriorityMax}`;
    errors.push(invalidValue("spec.versionPriority", versionPriority, detail));
  }
  const isInsecure = spec.insecureSkipTLSVerify === true;
  if (!service) {
    if (caBundle !== "") {
      const detail = "local APIServices may not have a caBundle";
      errors.push(invalidValue("spec.caBundle", caBundle, detail));
    }
    if (isInsecure) {
      const detail = "local APIServices may not have insecureSkipTLSVerify";
      errors.push(invalidValue("spec.insecureSkipTLSVerify", true, detail));
    }
    return;
  }
  errors.push(...checkText("spec.service.namespace", service.namespace));
  errors.push(...checkText("spec.service.name", service.name));
  errors.push(...checkRange("spec.service.port", service.port, [1, 65_535]));
  if (isInsecure && caBundle !== "") {
    const detail = "may not be true if caBundle is present";
    errors.push(invalidValue("spec.insecureSkipTLSVerify", true, detail));
  }
}

function validateVersions(
  spec: CustomResourceDefinitionSpec | undefined,
  errors: FieldError[],
): void {
  const versions = spec?.versions ?? [];
  for (const [i, version] of versions.entries()) {
    const path = `spec.versions[${i}]`;
    if (version.schema?.openAPIV3Schema === undefined) {
      errors.push(required(`${path}.schema.openAPIV3Schema`));
    }
  }
  for (const [i, version] of versions.entries()) {
    const name = joined(dns1035Label)(version.name);
    errors.push(...invalidEach(`spec.versions[${i}].name`, version.name, name));
    // What all versions share is judged once, and under the spec, where the server keeps it inside of itself.
    if (!hasSameValue(versions, "schema")) {
      validateCustomSchema(version.schema, `spec.versions[${i}].schema`, errors);
    }
    if (hasSameValue(versions, "additionalPrinterColumns")) continue;
    const path = `spec.versions[${i}].additionalPrinterColumns`;
    validatePrinterColumns(version.additionalPrinterColumns, path, errors);
  }
  const names = new Set(versions.map((version) => version.name));
  const value = spec?.versions ? versionForms(versions) : null;
  if (names.size < versions.length) {
    errors.push(invalidValue("spec.versions", value, "must contain unique version names"));
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    const detail = "must have exactly one version marked as storage version";
    errors.push(invalidValue("spec.versions", value, detail));
  }
  // Inside of the server, the first version is also the one of the whole.
  const { name = "" } = versions[0] ?? {};
  if (name !== "") errors.push(...checkText("spec.version", name, joined(dns1035Label)));
}

/** As Go prints the type inside of the server, where what all versions share has been moved to the spec. */
function versionForms(versions: readonly CustomResourceDefinitionVersion[]): object[] {
  const own = <T>(key: SharedKey, value: T | undefined): T | null =>
    hasSameValue(versions, key) ? null : (value ?? null);
  return versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: own("schema", version.schema),
    Subresources: own("subresources", version.subresources),
    AdditionalPrinterColumns: own("additionalPrinterColumns", version.additionalPrinterColumns),
    SelectableFields: own("selectableFields", version.selectableFields),
  }));
}

/** Every version that objects are stored in must go on being served. */
function validateStoredVersions(definition: CustomResourceDefinition, errors: FieldError[]): void {
  const stored = definition.status?.storedVersions ?? [];
  const versions = definition.spec?.versions ?? [];
  const path = "status.storedVersions";
  if (stored.length === 0) {
    errors.push(invalidValue(path, null, "must have at least one stored version"));
  }
  for (const [i, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${path}[${i}]`, name, detail));
  }
}

type SharedKey = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

function validateNames(
  names: CustomResourceDefinitionNames | undefined,
  errors: FieldError[],
): void {
  const { plural = "", singular = "", kind = "", listKind = "" } = names ?? {};
  errors.push(...checkText("spec.names.plural", plural, joined(dns1035Label)));
  errors.push(...checkText("spec.names.singular", singular, joined(dns1035Label)));
  const mixedCase = (text: string): Complaints =>
    joined(dns1035Label)(text.toLowerCase()).map(
      (complaint) => `may have mixed case, but should otherwise match: ${complaint}`,
    );
  errors.push(...checkText("spec.names.kind", kind, mixedCase));
  errors.push(...checkText("spec.names.listKind", listKind, mixedCase));
  for (const [i, name] of (names?.shortNames ?? []).entries()) {
    errors.push(...invalidEach(`spec.names.shortNames[${i}]`, name, joined(dns1035Label)(name)));
  }
  if (kind !== "" && kind === listKind) {
    const detail = "kind and listKind may not be the same";
    errors.push(invalidValue("spec.names.listKind", listKind, detail));
  }
}

/** Several complaints as one, as upstream words them here. */
function joined(rule: (text: string) => Complaints): (text: string) => Complaints {
  return (text) => {
    const complaints = rule(text);
    return complaints.length === 0 ? complaints : [complaints.join(",")];
  };
}
