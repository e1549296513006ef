// Objects are stored without resourceVersion, since a write learns its revision only from the commit; this puts it into
// the bytes on their way out.

const leadingFields = ["name", "generateName", "namespace", "selfLink", "uid"];

/** A copy of `value` with `"resourceVersion":"N"` in metadata, behind its leading string fields. */
export function spliceResourceVersion(value: Uint8Array, revision: number): Uint8Array {
  const open = metadataStart(value);
  let at = open;
  for (const field of leadingFields) at = afterField(value, at, field);
  const rest = value[at] === 0x7d ? "" : ",";
  const text = `${at === open ? "" : ","}"resourceVersion":"${revision}"`;
  const from = value[at] === 0x2c ? at + 1 : at;
  const insert = new TextEncoder().encode(text + rest);
  const result = new Uint8Array(at + insert.length + value.length - from);
  result.set(value.subarray(0, at));
  result.set(insert, at);
  result.set(value.subarray(from), at + insert.length);
  return result;
}

const metadataKey = new TextEncoder().encode('"metadata":{');

function metadataStart(value: Uint8Array): number {
  for (let at = value.indexOf(0x22); at >= 0; at = value.indexOf(0x22, at + 1)) {
    if (startsWith(value, at, metadataKey)) return at + metadataKey.length;
  }
  throw new SyntaxError("object without metadata");
}

function afterField(value: Uint8Array, at: number, field: string): number {
  const key = new TextEncoder().encode(`"${field}":"`);
  const start = value[at] === 0x2c ? at + 1 : at;
  if (!startsWith(value, start, key)) return at;
  let end = start + key.length;
  while (end < value.length && value[end] !== 0x22) end += value[end] === 0x5c ? 2 : 1;
  return end + 1;
}

function startsWith(value: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (value[at + i] !== text[i]) return false;
  return true;
}
