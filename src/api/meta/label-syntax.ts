// What a label's key and value may look like, in Kubernetes' words (upstream: apimachinery/pkg/util/validation). Each
// function gives the complaints about one text; none means it is fine.

const nameMax = 63;
const subdomainMax = 253;

const nameFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const valueFormat = `(${nameFormat})?`;
const subdomainFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

const nameRegExp = new RegExp(`^${nameFormat}$`);
const valueRegExp = new RegExp(`^${valueFormat}$`);
const subdomainRegExp = new RegExp(`^${subdomainFormat}$`);

const alphanumeric =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const nameComplaint = complaint(`must ${alphanumeric}`, nameFormat, [
  "MyName",
  "my.name",
  "123-abc",
]);
const valueComplaint = complaint(
  `a valid label must be an empty string or ${alphanumeric}`,
  valueFormat,
  ["MyValue", "my_value", "12345"],
);
const subdomainComplaint = complaint(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainFormat,
  ["example.com"],
);

/** `[prefix/]name`: the syntax of label keys, annotation keys, taint keys and the like. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    const prefixed = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${nameComplaint}${prefixed}`];
  }
  const name = parts.at(-1)!;
  const problems = parts.length === 2 ? prefixProblems(parts[0]!) : [];
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > nameMax) problems.push(`name part ${tooLongText(nameMax)}`);
  if (!nameRegExp.test(name)) problems.push(`name part ${nameComplaint}`);
  return problems;
}

export function labelValueProblems(text: string): string[] {
  const problems: string[] = [];
  if (text.length > nameMax) problems.push(tooLongText(nameMax));
  if (!valueRegExp.test(text)) problems.push(valueComplaint);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const problems: string[] = [];
  if (prefix.length > subdomainMax) problems.push(`prefix part ${tooLongText(subdomainMax)}`);
  if (!subdomainRegExp.test(prefix)) problems.push(`prefix part ${subdomainComplaint}`);
  return problems;
}

function tooLongText(max: number): string {
  return `must be no more than ${max} bytes`;
}

/** The double space between examples is upstream's. */
function complaint(text: string, format: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}'`).join(",  or ");
  return `${text} (e.g. ${list}, regex used for validation is '${format}')`;
}
