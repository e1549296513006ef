// Group versions as apiVersion writes them.
import { DecodeError } from "./decode-error.ts";

/** `apps/v1`, or `v1` for the core group. */
export function groupVersion(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** Throws DecodeError on more than one slash. */
export function parseGroupVersion(text: string): { group: string; version: string } {
  const parts = text === "/" ? [""] : text.split("/");
  if (parts.length > 2) throw new DecodeError(`unexpected GroupVersion string: ${text}`);
  const [group, version] = parts.length === 1 ? ["", parts[0]!] : [parts[0]!, parts[1]!];
  return { group, version };
}
