import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeUtf8, encodeUtf8, utf8Length } from "./utf8.ts";

test("round trip and length agree with Node's", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(decodeUtf8(encodeUtf8(text))).toBe(Buffer.from(text).toString());
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});

test.each(["", "a", "é", "€", "😀", "\ud83d", "\ude00x", "\ud83d\ud83d\ude00"])(
  "length of %j",
  (text) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  },
);

test("a byte order mark and broken bytes stay visible", () => {
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
  expect(decodeUtf8(Uint8Array.of(0x61, 0xff))).toBe("a\ufffd");
});
