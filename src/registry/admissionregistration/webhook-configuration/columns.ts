// How both kinds of webhook configuration are printed.
import type { ValidatingWebhookConfiguration } from "../../../api/types/admissionregistration-v1.ts";
import { ageColumn, integer, nameColumn, type Printer, printer } from "../../table/column.ts";

export const webhookConfigurationPrinter: Printer = printer<
  Pick<ValidatingWebhookConfiguration, "metadata" | "webhooks">
>([
  nameColumn,
  integer("Webhooks", "Number of webhooks", ({ webhooks }) => webhooks?.length ?? 0),
  ageColumn,
]);
