// The codec against itself in any pieces, and its header blocks against zlib.
import { constants, createDeflate, createInflate } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatBytes } from "../../std/concat-bytes.ts";
import { type Frame, FrameReader, FrameWriter } from "./frames.ts";
import { HeaderReader, HeaderWriter, type Headers } from "./header-block.ts";
import { headerDictionary, headerDictionaryId } from "./header-dictionary.ts";
import { SpdyError } from "./spdy-error.ts";

const headers: fc.Arbitrary<Headers> = fc
  .dictionary(
    fc.string({ minLength: 1, maxLength: 10 }).map((name) => name.toLowerCase()),
    fc.string(),
  )
  .map((entries) => new Map(Object.entries(entries)));
const id = fc.integer({ min: 0, max: 0x7fffffff });
const status = fc.integer({ min: 0, max: 20 });
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ is: fc.constant("open" as const), id, fin: fc.boolean(), headers }),
  fc.record({ is: fc.constant("reply" as const), id, fin: fc.boolean(), headers }),
  fc.record({ is: fc.constant("data" as const), id, fin: fc.boolean(), bytes: fc.uint8Array() }),
  fc.record({ is: fc.constant("reset" as const), id, status }),
  fc.record({ is: fc.constant("ping" as const), id: fc.integer({ min: 0, max: 0xffffffff }) }),
  fc.record({ is: fc.constant("go away" as const), last: id, status }),
);

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return ((b << 16) | a) >>> 0;
}

describe("frames", () => {
  it("are read as they were written, in whatever pieces they come", () => {
    fc.assert(
      fc.property(fc.array(frame), fc.integer({ min: 1, max: 40 }), (frames, pieceBytes) => {
        const writer = new FrameWriter();
        const wire = concatBytes(frames.map((one) => writer.write(one)));
        const reader = new FrameReader();
        const read: Frame[] = [];
        for (let at = 0; at < wire.length; at += pieceBytes)
          read.push(...reader.read(wire.subarray(at, at + pieceBytes)));
        expect(read).toEqual(frames);
      }),
    );
  });

  it("are refused by nothing but SpdyError when they are junk", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 100 }), (junk) => {
        try {
          for (const one of new FrameReader().read(junk)) expect(one.is).toBeTypeOf("string");
        } catch (error) {
          expect(error).toBeInstanceOf(SpdyError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["too long", [0, 0, 0, 1, 0, 255, 255, 255], "is too long"],
    ["of SPDY/2", [0x80, 2, 0, 1, 0, 0, 0, 0], "another version"],
    ["too short", [0x80, 3, 0, 6, 0, 0, 0, 1, 0], "too short"],
    [
      "without its dictionary",
      [0x80, 3, 0, 2, 0, 0, 0, 6, 0, 0, 0, 1, 0x78, 0x9c],
      "another dictionary",
    ],
  ])("%s end the connection", (_what, bytes, words) => {
    expect(() => [...new FrameReader().read(Uint8Array.from(bytes))]).toThrow(words);
  });
});

describe("header blocks", () => {
  it("know the dictionary by its checksum", () => {
    expect([headerDictionary.length, adler32(headerDictionary)]).toEqual([
      1_423,
      headerDictionaryId,
    ]);
  });

  it("are read as zlib packs them, one stream for all", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(headers, { minLength: 1 }), async (all) => {
        const zip = createDeflate({ dictionary: headerDictionary, flush: constants.Z_SYNC_FLUSH });
        const reader = new HeaderReader();
        for (const one of all) {
          const plain = plainBlock(one);
          await new Promise((resolve) => zip.write(plain, resolve));
          expect(reader.read(zip.read() as Uint8Array)).toEqual(one);
        }
        zip.destroy();
      }),
      { numRuns: 50 },
    );
  });

  it("are written so that zlib unpacks them", async () => {
    const zip = createInflate({ dictionary: headerDictionary });
    const writer = new HeaderWriter();
    for (const one of [new Map([["streamtype", "data"]]), new Map([["port", "80"]])]) {
      await new Promise((resolve) => zip.write(writer.write(one), resolve));
      expect(new Uint8Array(zip.read() as Buffer)).toEqual(plainBlock(one));
    }
    zip.destroy();
  });
});

function plainBlock(one: Headers): Uint8Array {
  const view = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const parts = [view(one.size)];
  for (const text of [...one].flat()) {
    const bytes = Buffer.from(text);
    parts.push(view(bytes.length), bytes);
  }
  return new Uint8Array(Buffer.concat(parts));
}
