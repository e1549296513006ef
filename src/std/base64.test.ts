import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64, encodeBase64, normalizeBase64 } from "./base64.ts";

test("agrees with Node's, both ways", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
      const text = Buffer.from(bytes).toString("base64");
      expect(encodeBase64(bytes)).toBe(text);
      expect(decodeBase64(text)).toEqual(bytes);
      expect(normalizeBase64(text)).toBe(text);
    }),
  );
});

test.each([
  ["aGk=", "aGk="],
  ["aGl=", "aGk="],
  ["aG\nVs\r\nbG8=\n", "aGVsbG8="],
  ["aR==", "aQ=="],
  ["", ""],
])("%j is normalised to %j", (text, normal) => {
  expect(normalizeBase64(text)).toBe(normal);
});

// Offsets as Go's encoding/base64 reports them.
test.each([
  ["a", 0],
  ["ab", 0],
  ["abc", 0],
  ["abcde", 4],
  ["ab=", 3],
  ["ab=c", 2],
  ["ab==x", 4],
  ["abc=x", 4],
  ["=", 0],
  ["a===", 1],
  ["ab*d", 2],
  ["aé", 1],
  ["ab_-", 2],
  ["aGk= ", 4],
])("%j is refused at byte %i", (text, offset) => {
  expect(() => normalizeBase64(text)).toThrow(`illegal base64 data at input byte ${offset}`);
});
