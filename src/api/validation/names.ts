// The shapes that names, keys and values may have, as functions from text to complaints; none is fine. The wording is
// part of the wire (upstream: apimachinery/pkg/util/validation, apimachinery/pkg/api/validate/content). Every pattern
// is matched in linear time.
import { utf8Length } from "../../std/utf8.ts";

/** What is wrong with a text; empty when nothing is. */
export type Complaints = readonly string[];

/** `prefix`: the text is a generateName, whose last dash the random suffix will follow. */
export type NameRule = (name: string, prefix: boolean) => Complaints;

const fine: Complaints = [];

const label = {
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
  maxBytes: 63,
  complaint: withExamples(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    ["my-name", "123-abc"],
  ),
};
const subdomain = {
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  maxBytes: 253,
  complaint: withExamples(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    ["example.com"],
  ),
};
const wildcardSubdomain = {
  pattern: /^\*\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  maxBytes: 253,
  complaint: withExamples(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    "\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    ["*.example.com"],
  ),
};
const label1035 = {
  pattern: /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
  maxBytes: 63,
  complaint: withExamples(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    ["my-name", "abc-123"],
  ),
};
const labelValue = {
  pattern: /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  maxBytes: 63,
  complaint: withExamples(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
    ["MyValue", "my_value", "12345"],
  ),
  tooLong: tooManyBytes,
};
/** Upstream's newer rules count bytes. */
const longName = { ...subdomain, tooLong: tooManyBytes };
const keyNameMaxBytes = 63;
const keyNamePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const keyNameComplaint = withExamples(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
  ["MyName", "my.name", "123-abc"],
);
const configKey = {
  pattern: /^[-._a-zA-Z0-9]+$/,
  maxBytes: 253,
  complaint: withExamples(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "[-._a-zA-Z0-9]+",
    ["key.name", "KEY_NAME", "key-name"],
  ),
};
const httpHeader = {
  pattern: /^[-A-Za-z0-9]+$/,
  complaint: withExamples(
    "a valid HTTP header must consist of alphanumeric characters or '-'",
    "[-A-Za-z0-9]+",
    ["X-Header-Name"],
  ),
};
const percent = {
  pattern: /^[0-9]+%$/,
  complaint: withExamples(
    "a valid percent string must be a numeric string followed by an ending '%'",
    "[0-9]+%",
    ["1%", "93%"],
  ),
};
const portNameMaxLength = 15;
/** Printable ASCII without `=` (upstream: RelaxedEnvironmentVariableValidation). */
const envNamePattern = /^[ -<>-~]+$/;

interface TextRule {
  readonly pattern: RegExp;
  readonly maxBytes: number;
  readonly complaint: string;
  /** Absent: the limit is said in characters. */
  readonly tooLong?: (max: number) => string;
}

export function dns1123Label(text: string): Complaints {
  const complaints = check(text, label);
  if (complaints.length === 0 || !subdomain.pattern.test(text)) return complaints;
  return complaints.map((complaint) =>
    complaint === label.complaint ? "must not contain dots" : complaint,
  );
}
export const dns1123Subdomain = (text: string): Complaints => check(text, subdomain);
export const wildcardDns1123Subdomain = (text: string): Complaints =>
  check(text, wildcardSubdomain);
export const dns1035Label = (text: string): Complaints => check(text, label1035);
export const labelValueRule = (text: string): Complaints => check(text, labelValue);

/** A label key; annotation keys, finalizers, taints and resource names follow it too. */
export function qualifiedName(text: string): Complaints {
  const slash = text.indexOf("/");
  if (slash === -1) return keyName(text);
  if (text.indexOf("/", slash + 1) !== -1) {
    return [
      `a valid label key ${keyNameComplaint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = text.slice(0, slash);
  const complaints =
    prefix === ""
      ? ["prefix part must be non-empty"]
      : check(prefix, longName).map((complaint) => `prefix part ${complaint}`);
  return [...complaints, ...keyName(text.slice(slash + 1))];
}

export function configMapKey(text: string): Complaints {
  const complaints = [...check(text, configKey)];
  if (text === ".") complaints.push("must not be '.'");
  else if (text === "..") complaints.push("must not be '..'");
  else if (text.startsWith("..")) complaints.push("must not start with '..'");
  return complaints;
}

export function httpHeaderName(text: string): Complaints {
  return httpHeader.pattern.test(text) ? fine : [httpHeader.complaint];
}

export function percentText(text: string): Complaints {
  return percent.pattern.test(text) ? fine : [percent.complaint];
}

export function envVarName(text: string): Complaints {
  if (text === "") return ["environment variable name must be non-empty"];
  if (envNamePattern.test(text)) return fine;
  return [
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ];
}

/** IANA service names: what a container or service port may be called. */
export function portName(text: string): Complaints {
  const complaints: string[] = [];
  if (text.length > portNameMaxLength) complaints.push(tooManyCharacters(portNameMaxLength));
  if (!/^[-a-z0-9]+$/.test(text)) {
    complaints.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(text)) complaints.push("must contain at least one letter (a-z)");
  if (text.includes("--")) complaints.push("must not contain consecutive hyphens");
  if (text.startsWith("-") || text.endsWith("-")) {
    complaints.push("must not begin or end with a hyphen");
  }
  return complaints;
}

export function portNumber(port: number): Complaints {
  return port >= 1 && port <= 65_535 ? fine : ["must be between 1 and 65535, inclusive"];
}

/** A name that is safe as one segment of a URL path; prefixes may still become fine. */
export function pathSegment(text: string): Complaints {
  const complaints: string[] = [];
  if (text === ".") complaints.push("may not be '.'");
  if (text === "..") complaints.push("may not be '..'");
  if (text.includes("/")) complaints.push("may not contain '/'");
  if (text.includes("%")) complaints.push("may not contain '%'");
  return complaints;
}

function pathSegmentPrefix(text: string): Complaints {
  return pathSegment(text).filter((complaint) => complaint.startsWith("may not contain"));
}

export const nameIsLabel: NameRule = (name, prefix) => dns1123Label(masked(name, prefix));
export const nameIsSubdomain: NameRule = (name, prefix) => dns1123Subdomain(masked(name, prefix));
export const nameIsLongName: NameRule = (name, prefix) => check(masked(name, prefix), longName);
export const nameIsPathSegment: NameRule = (name, prefix) =>
  prefix ? pathSegmentPrefix(name) : pathSegment(name);

/** The suffix will follow a trailing dash, so the dash stands for a good character. */
function masked(name: string, prefix: boolean): string {
  return prefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

function keyName(name: string): Complaints {
  const complaints: string[] = [];
  if (name === "") complaints.push("name part must be non-empty");
  else if (utf8Length(name) > keyNameMaxBytes) {
    complaints.push(`name part ${tooManyBytes(keyNameMaxBytes)}`);
  }
  if (!keyNamePattern.test(name)) complaints.push(`name part ${keyNameComplaint}`);
  return complaints;
}

function check(text: string, rule: TextRule): Complaints {
  const matches = rule.pattern.test(text);
  if (matches && text.length <= rule.maxBytes) return fine;
  const complaints: string[] = [];
  if (utf8Length(text) > rule.maxBytes)
    complaints.push((rule.tooLong ?? tooManyCharacters)(rule.maxBytes));
  if (!matches) complaints.push(rule.complaint);
  return complaints;
}

/** What is too long for a DNS name is said in characters, for label keys and values in bytes. */
function tooManyCharacters(max: number): string {
  return `must be no more than ${max} characters`;
}

function tooManyBytes(max: number): string {
  return `must be no more than ${max} bytes`;
}

/** Upstream joins examples with a comma, two blanks and "or"; clients have seen that for years. */
function withExamples(what: string, pattern: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${what} (e.g. ${list}regex used for validation is '${pattern}')`;
}
