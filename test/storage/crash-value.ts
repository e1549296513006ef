// Values of many sizes that tell by themselves whether they are whole.
import { createHash } from "node:crypto";

/** `<sequence> <filler> <digest of all before>` */
export function crashValue(key: string, sequence: number): Uint8Array {
  const body = `${sequence} ${key.repeat(1 + ((sequence * 37) % 600))}`;
  return Buffer.from(`${body} ${digest(body)}`);
}

/** The sequence; undefined when the value is torn. */
export function readCrashValue(value: Uint8Array): number | undefined {
  const text = Buffer.from(value).toString();
  const end = text.lastIndexOf(" ");
  const body = text.slice(0, end);
  return digest(body) === text.slice(end + 1) ? Number.parseInt(body, 10) : undefined;
}

function digest(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
