// `{{.index}}` and its like in names and selectors: replaced by a member's own values, and nothing else. No expressions.

export type TemplateValues = Readonly<Record<string, string | number>>;

const place = /\{\{\s*\.([A-Za-z]+)\s*\}\}/g;

/** Names that are not there stay as they are; `unknownNames` finds them before anything runs. */
export function fill(text: string, values: TemplateValues): string {
  if (!text.includes("{{")) return text;
  return text.replace(place, (whole, name: string) => String(values[name] ?? whole));
}

/** A copy in which all texts are filled. */
export function fillAll<T>(value: T, values: TemplateValues): T {
  return map(value, (text) => fill(text, values)) as T;
}

/** What the text asks for that is not among `known`. */
export function unknownNames(text: string, known: readonly string[]): string[] {
  const asked = [...text.matchAll(place)].map((match) => match[1] ?? "");
  const broken = text.replace(place, "").includes("{{") ? [text] : [];
  return [...asked.filter((name) => !known.includes(name)), ...broken];
}

function map(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => map(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, map(own, change)]));
}
