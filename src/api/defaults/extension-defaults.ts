// Defaults of CustomResourceDefinition and APIService (upstream: apiextensions/v1/defaults.go,
// apiregistration/v1/defaults.go). What custom schemas default is another part's matter.
import type { CustomResourceDefinition } from "../types/apiextensions-v1.ts";
import type { APIService } from "../types/apiregistration-v1.ts";

const httpsPort = 443;

export function defaultCustomResourceDefinition(definition: CustomResourceDefinition): void {
  const { spec } = definition;
  if (!spec) return;
  const { names } = spec;
  if (names) {
    names.singular ||= (names.kind ?? "").toLowerCase();
    if (names.kind) names.listKind ||= `${names.kind}List`;
    if (names.singular === "") delete names.singular;
  }
  const conversion = (spec.conversion ??= { strategy: "None" });
  const service = conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= httpsPort;
}

export function defaultAPIService(apiService: APIService): void {
  if (apiService.spec?.service) apiService.spec.service.port ??= httpsPort;
}
