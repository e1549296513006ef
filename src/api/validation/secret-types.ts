// What a secret of a well-known type must hold (upstream: pkg/apis/core/validation/validation.go, ValidateSecret).
import { decodeBase64 } from "../../std/base64.ts";
import { decodeUtf8 } from "../../std/utf8.ts";
import { type FieldError, invalidValue, required } from "../meta/field-error.ts";
import type { Secret } from "../types/core-v1.ts";

const serviceAccountName = "kubernetes.io/service-account.name";

export function validateSecretType(secret: Secret, errors: FieldError[]): void {
  const data = secret.data ?? {};
  const need = (key: string): void => {
    if (data[key] === undefined) errors.push(required(`data[${key}]`));
  };
  switch (secret.type) {
    case "kubernetes.io/service-account-token":
      if ((secret.metadata.annotations?.[serviceAccountName] ?? "") === "") {
        errors.push(required(`metadata.annotations[${serviceAccountName}]`));
      }
      return;
    case "kubernetes.io/dockercfg":
      return checkJson(data, ".dockercfg", errors);
    case "kubernetes.io/dockerconfigjson":
      return checkJson(data, ".dockerconfigjson", errors);
    case "kubernetes.io/basic-auth":
      if (data["username"] === undefined && data["password"] === undefined) {
        errors.push(required("data[username]"), required("data[password]"));
      }
      return;
    case "kubernetes.io/ssh-auth":
      if ((data["ssh-privatekey"] ?? "") === "") errors.push(required("data[ssh-privatekey]"));
      return;
    case "kubernetes.io/tls":
      need("tls.crt");
      need("tls.key");
      return;
    default:
  }
}

function checkJson(
  data: Readonly<Record<string, string>>,
  key: string,
  errors: FieldError[],
): void {
  const base64 = data[key];
  if (base64 === undefined) {
    errors.push(required(`data[${key}]`));
    return;
  }
  const detail = jsonComplaint(decodeUtf8(decodeBase64(base64)));
  if (detail === undefined) return;
  errors.push(invalidValue(`data[${key}]`, "<secret contents redacted>", detail));
}

/** In Go's words, as far as they do not depend on its parser. */
function jsonComplaint(text: string): string | undefined {
  if (text.trim() === "") return "unexpected end of JSON input";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const first = text.trim()[0]!;
    const isCut = first === "{" && !text.trimEnd().endsWith("}");
    return isCut
      ? "unexpected end of JSON input"
      : `invalid character '${first}' looking for beginning of value`;
  }
  if (typeof value === "object" && !Array.isArray(value)) return undefined;
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}
