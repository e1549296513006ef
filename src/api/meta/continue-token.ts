// The continue token of paged lists: opaque to clients, but its form is Kubernetes' own, so that tokens survive a change
// of server (upstream: apiserver/pkg/storage/continue.go). Keys inside are relative to what the list covers.
import { badRequest } from "./errors.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";

const tokenVersion = "meta.k8s.io/v1";

export interface ContinueFrom {
  /** The first page's; -1 asks for the newest state, giving up consistency with the first page. */
  readonly revision: number;
  /** `namespace/name` or `name`, with NUL behind it. */
  readonly startKey: string;
}

/** `listPrefix` is `namespace/` for a list of one namespace, "" otherwise; `startKey` begins with it. */
export function encodeContinue(from: ContinueFrom, listPrefix: string): string {
  const start = from.startKey.slice(listPrefix.length);
  const text = JSON.stringify({ v: tokenVersion, rv: from.revision, start });
  return encodeBase64Url(encodeUtf8(text));
}

/** Throws BadRequest `invalid continue token: …`. The start key can never leave `listPrefix`. */
export function decodeContinue(token: string, listPrefix: string): ContinueFrom {
  const { v, rv, start } = parseToken(decodeBase64Url(token));
  if (v !== tokenVersion) {
    const version = typeof v === "string" ? v : "";
    throw invalidToken(`: server does not recognize this encoded version ${version}`);
  }
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) {
    throw invalidToken(`: incorrect encoded start resourceVersion (version ${tokenVersion})`);
  }
  if (typeof start !== "string" || start === "") {
    throw invalidToken(`: encoded start key empty (version ${tokenVersion})`);
  }
  const key = start.startsWith("/") ? start.slice(1) : start;
  if (!isCleanPath(key)) throw invalidToken(`: ${start}`);
  return { revision: rv, startKey: listPrefix + key };
}

function invalidToken(detail: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${detail}`);
}

function parseToken(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  if (text === "") throw invalidToken(": unexpected end of JSON input");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const first = JSON.stringify(text.trimStart().charAt(0)).slice(1, -1);
    if (/^\s*[{["\d-]/.test(text)) throw invalidToken(": unexpected end of JSON input");
    throw invalidToken(`: invalid character '${first}' looking for beginning of value`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalidToken(": json: cannot unmarshal value into Go value of type storage.continueToken");
}

/** No empty, `.` or `..` segment: what Go's path.Clean would leave alone. */
function isCleanPath(key: string): boolean {
  return key.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function encodeBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const digits = Math.min(4, bytes.length - i + 1);
    for (let digit = 0; digit < digits; digit++) text += alphabet[(group >> (18 - 6 * digit)) & 63];
  }
  return text;
}

function decodeBase64Url(text: string): string {
  const bytes: number[] = [];
  let group = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = alphabet.indexOf(text[i]!);
    if (digit < 0) throw invalidToken(`: illegal base64 data at input byte ${i}`);
    group = ((group << 6) | digit) & 0xffffff;
    if (i % 4 === 1) bytes.push((group >> 4) & 255);
    if (i % 4 === 2) bytes.push((group >> 2) & 255);
    if (i % 4 === 3) bytes.push(group & 255);
  }
  if (text.length % 4 === 1) {
    throw invalidToken(`: illegal base64 data at input byte ${text.length - 1}`);
  }
  return decodeUtf8(Uint8Array.from(bytes));
}
