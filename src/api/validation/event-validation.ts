// Validation of events of both groups, leases and certificate signing requests (upstream: pkg/apis/core/validation/events.go,
// pkg/apis/coordination/validation, pkg/apis/certificates/validation).
import { decodeBase64 } from "../../std/base64.ts";
import { decodeUtf8 } from "../../std/utf8.ts";
import { type FieldError, invalidValue, notSupported, required } from "../meta/field-error.ts";
import type { CertificateSigningRequest } from "../types/certificates-v1.ts";
import type { Lease } from "../types/coordination-v1.ts";
import type { Event as CoreEvent } from "../types/core-v1.ts";
import type { Event } from "../types/events-v1.ts";
import {
  checkImmutable,
  checkNotNegative,
  checkPositive,
  checkText,
  invalidEach,
} from "./checks.ts";
import { qualifiedName } from "./names.ts";

const textMaxLength = 128;
const noteMaxLength = 1024;
const expirationSecondsMin = 600;
const wrongNamespace = "does not match event.namespace";

export function validateCoreEvent(event: CoreEvent, errors: FieldError[]): void {
  const namespace = event.metadata.namespace ?? "";
  const involved = event.involvedObject?.namespace ?? "";
  const path = "involvedObject.namespace";
  const isNew = typeof event.eventTime === "string";
  if (involved === "") {
    if (namespace !== "default" && !(isNew && namespace === "kube-system")) {
      errors.push(invalidValue(path, "", wrongNamespace));
    }
  } else if (namespace !== involved) {
    errors.push(invalidValue(path, involved, wrongNamespace));
  }
  if (!isNew) return;
  const { reportingComponent, reportingInstance, action, reason, message } = event;
  const texts = { reportingInstance, action, reason };
  checkReport(reportingComponent, "reportingComponent", errors);
  checkTexts(texts, { noteField: "message", note: message ?? "" }, errors);
}

export function validateEvent(event: Event, errors: FieldError[]): void {
  const namespace = event.metadata.namespace ?? "";
  const regarding = event.regarding?.namespace ?? "";
  if (regarding === "") {
    if (namespace !== "default" && namespace !== "kube-system") {
      errors.push(invalidValue("involvedObject.namespace", "", wrongNamespace));
    }
  } else if (namespace !== regarding) {
    errors.push(invalidValue("involvedObject.namespace", regarding, wrongNamespace));
  }
  if (typeof event.eventTime !== "string") errors.push(required("eventTime"));
  const { type = "" } = event;
  if (type !== "Normal" && type !== "Warning") {
    errors.push(invalidValue("type", "", `has invalid value: ${type}`));
  }
  const { reportingController, reportingInstance, action, reason, note } = event;
  checkReport(reportingController, "reportingController", errors);
  checkTexts(
    { reportingInstance, action, reason },
    { noteField: "note", note: note ?? "" },
    errors,
  );
}

const fixedEventFields = [
  "involvedObject",
  "reason",
  "action",
  "reportingComponent",
  "reportingInstance",
  "type",
  "eventTime",
] as const;

/** Events told the new way say once what happened; only their series goes on. */
export function validateCoreEventUpdate(
  event: CoreEvent,
  old: CoreEvent,
  errors: FieldError[],
): void {
  validateCoreEvent(event, errors);
  if (typeof old.eventTime !== "string") return;
  for (const key of fixedEventFields) errors.push(...checkImmutable(key, event[key], old[key]));
}

const fixedNewEventFields = [
  "regarding",
  "related",
  "reason",
  "note",
  "action",
  "reportingController",
  "reportingInstance",
  "type",
  "eventTime",
] as const;

export function validateEventUpdate(event: Event, old: Event, errors: FieldError[]): void {
  for (const key of fixedNewEventFields) errors.push(...checkImmutable(key, event[key], old[key]));
}

export function validateLease(lease: Lease, errors: FieldError[]): void {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = lease.spec ?? {};
  errors.push(...checkPositive("spec.leaseDurationSeconds", leaseDurationSeconds));
  errors.push(...checkNotNegative("spec.leaseTransitions", leaseTransitions));
  if (strategy !== undefined) {
    errors.push(...invalidEach("spec.strategy", strategy, qualifiedName(strategy)));
  }
  if ((preferredHolder ?? "") !== "" && (strategy ?? "") === "") {
    const detail = "may not be specified if strategy is not specified";
    errors.push(invalidValue("spec.preferredHolder", preferredHolder, detail));
  }
}

export function validateSigningRequest(
  request: CertificateSigningRequest,
  errors: FieldError[],
): void {
  const { signerName, usages = [], expirationSeconds } = request.spec;
  // The decoder leaves null for required bytes that are empty.
  const csr = request.spec.request ?? null;
  if (!isPemRequest(csr ?? "")) {
    const detail = "PEM block type must be CERTIFICATE REQUEST";
    errors.push(invalidValue("spec.request", csr, detail));
  }
  if (usages.length === 0) errors.push(required("spec.usages"));
  for (const [i, usage] of usages.entries()) {
    if (!keyUsages.includes(usage)) {
      errors.push(notSupported(`spec.usages[${i}]`, usage, keyUsages));
    }
  }
  checkSignerName(signerName, errors);
  if (expirationSeconds !== undefined && expirationSeconds < expirationSecondsMin) {
    const detail = `may not specify a duration less than ${expirationSecondsMin} seconds (10 minutes)`;
    errors.push(invalidValue("spec.expirationSeconds", expirationSeconds, detail));
  }
}

const keyUsages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

function isPemRequest(base64: string): boolean {
  return /^-----BEGIN CERTIFICATE REQUEST-----$/m.test(decodeUtf8(decodeBase64(base64)));
}

function checkSignerName(signerName: string, errors: FieldError[]): void {
  const path = "spec.signerName";
  if (signerName === "") {
    errors.push(required(path));
    return;
  }
  const slash = signerName.indexOf("/");
  const domain = signerName.slice(0, Math.max(slash, 0));
  if (slash <= 0 || !domain.includes(".") || slash === signerName.length - 1) {
    const detail =
      "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(invalidValue(path, signerName, detail));
  }
}

function checkReport(controller: string | undefined, path: string, errors: FieldError[]): void {
  errors.push(...checkText(path, controller, qualifiedName));
}

function checkTexts(
  texts: Readonly<Record<string, string | undefined>>,
  { noteField, note }: { noteField: string; note: string },
  errors: FieldError[],
): void {
  for (const [path, text = ""] of Object.entries(texts)) {
    if (text === "") errors.push(required(path));
    if (text.length > textMaxLength) {
      errors.push(invalidValue(path, "", `can have at most ${textMaxLength} characters`));
    }
  }
  if (note.length > noteMaxLength) {
    errors.push(invalidValue(noteField, "", `can have at most ${noteMaxLength} characters`));
  }
}
