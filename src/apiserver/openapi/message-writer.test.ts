import { expect, test } from "vitest";
import { MessageWriter } from "./message-writer.ts";

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

test("fields, nested messages and what is left out", () => {
  const writer = new MessageWriter();
  writer.string(1, "é");
  writer.string(2, "");
  writer.string(3, undefined);
  writer.bool(4, false);
  writer.bool(16, true);
  writer.message(5, () => writer.message(6, () => writer.string(1, "a")));
  writer.message(7, () => undefined);
  expect(hex(writer.finish())).toBe("0a 02 c3 a9 80 01 01 2a 05 32 03 0a 01 61 3a 00");
});

test.each([127, 128, 16_383, 16_384, 300_000])("a nested text of %d bytes", (size) => {
  const writer = new MessageWriter();
  const text = "x".repeat(size);
  writer.message(1, () => {
    writer.string(1, text);
    writer.string(2, "end");
  });
  const bytes = writer.finish();
  const [outer, afterOuter] = varint(bytes, 1);
  expect(outer).toBe(bytes.length - afterOuter);
  const [inner, afterInner] = varint(bytes, afterOuter + 1);
  expect(inner).toBe(size);
  expect(new TextDecoder().decode(bytes.subarray(afterInner))).toBe(`${text}\u0012\u0003end`);
});

function varint(bytes: Uint8Array, start: number): [number, number] {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
}
