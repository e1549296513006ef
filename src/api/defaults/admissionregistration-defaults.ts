// Defaults of webhooks and admission policies (upstream: pkg/apis/admissionregistration/v1/defaults.go).
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../types/admissionregistration-v1.ts";

const webhookTimeoutSeconds = 10;
const httpsPort = 443;

export function defaultMutatingWebhooks(configuration: MutatingWebhookConfiguration): void {
  for (const webhook of configuration.webhooks ?? []) {
    defaultWebhook(webhook);
    webhook.reinvocationPolicy ??= "Never";
  }
}

export function defaultValidatingWebhooks(configuration: ValidatingWebhookConfiguration): void {
  for (const webhook of configuration.webhooks ?? []) defaultWebhook(webhook);
}

export function defaultAdmissionPolicy(
  policy: ValidatingAdmissionPolicy | MutatingAdmissionPolicy,
): void {
  const { spec } = policy;
  if (!spec) return;
  spec.failurePolicy ??= "Fail";
  defaultMatchResources(spec.matchConstraints);
}

export function defaultAdmissionPolicyBinding(
  binding: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding,
): void {
  defaultMatchResources(binding.spec?.matchResources);
}

function defaultWebhook(webhook: ValidatingWebhook | MutatingWebhook): void {
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= httpsPort;
  defaultScopes(webhook.rules);
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= webhookTimeoutSeconds;
}

function defaultMatchResources(match: MatchResources | undefined): void {
  if (!match) return;
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  defaultScopes(match.resourceRules);
  defaultScopes(match.excludeResourceRules);
}

function defaultScopes(rules: { scope?: string }[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= "*";
}
