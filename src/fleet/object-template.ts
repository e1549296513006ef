// Objects from a shape: texts filled in, and made as large as told.
import type { ApiObject } from "../client/served-object.ts";
import type { Manifest, Pad } from "./population.ts";
import { type TemplateValues, fillAll } from "./template.ts";

/** Four letters are three bytes of base64. */
const padLetters = "wave";

export function objectOf(
  manifest: Manifest,
  values: TemplateValues,
  pad: Pad | undefined,
): ApiObject & Manifest {
  const object = fillAll(manifest, values);
  if (pad !== undefined) put(object, pad.field.split("."), padText(pad.bytes));
  return object;
}

function padText(bytes: number): string {
  return padLetters.repeat(Math.ceil(bytes / padLetters.length));
}

function put(object: object, path: readonly string[], text: string): void {
  let at = object as Record<string, unknown>;
  for (const step of path.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
  at[path.at(-1) ?? ""] = text;
}
