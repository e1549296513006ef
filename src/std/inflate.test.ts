// Against zlib itself, in pieces as well as whole.
import { constants, createDeflateRaw, deflateRawSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InflateError, Inflater } from "./inflate.ts";
import { encodeUtf8 } from "./utf8.ts";

const nothing = new Uint8Array(0);

/** Repetitive enough that there is something to refer to. */
const bytes = fc
  .array(
    fc.oneof(fc.constantFrom("accept", "content-length", "\0\0\0\u0004", "aaaaaaaa"), fc.string()),
  )
  .map((words) => encodeUtf8(words.join("")));

/** One stream, flushed after every piece. */
async function deflated(pieces: readonly Uint8Array[], level: number): Promise<Uint8Array[]> {
  const stream = createDeflateRaw({ level, flush: constants.Z_SYNC_FLUSH });
  const out: Uint8Array[] = [];
  for (const piece of pieces) {
    await new Promise((resolve) => stream.write(piece, resolve));
    out.push(new Uint8Array((stream.read() as Buffer | null) ?? []));
  }
  stream.destroy();
  return out;
}

describe("inflate", () => {
  it("unpacks what zlib packs, piece by piece", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(bytes, { minLength: 1 }),
        fc.constantFrom(0, 1, 9),
        async (pieces, level) => {
          const inflater = new Inflater(nothing, 1_000_000);
          for (const [index, packed] of (await deflated(pieces, level)).entries())
            expect(inflater.inflate(packed)).toEqual(pieces[index]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("knows a dictionary", () => {
    const dictionary = encodeUtf8("a dictionary with words");
    const text = encodeUtf8("words with a dictionary");
    const packed = deflateRawSync(text, { dictionary });
    expect(new Inflater(dictionary, 100).inflate(packed)).toEqual(text);
    expect(() => new Inflater(nothing, 100).inflate(packed)).toThrow(InflateError);
  });

  it("unpacks no more than it may", () => {
    const packed = deflateRawSync(new Uint8Array(1_000));
    expect(new Inflater(nothing, 1_000).inflate(packed)).toHaveLength(1_000);
    expect(() => new Inflater(nothing, 999).inflate(packed)).toThrow("too much");
  });

  it("throws on anything else, and ends", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (junk) => {
        try {
          new Inflater(nothing, 10_000).inflate(junk);
        } catch (error) {
          expect(error).toBeInstanceOf(InflateError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
