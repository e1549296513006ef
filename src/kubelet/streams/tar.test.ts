import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatBytes } from "../../std/concat-bytes.ts";
import { encodeUtf8 } from "../../std/utf8.ts";
import { FileBudget, FileTree } from "./file-tree.ts";
import { Shell } from "./shell.ts";
import { longNameOf, readTarHeader, tarBlockBytes, tarEnd, tarEntry } from "./tar.ts";

const name = fc.stringMatching(/^[a-zö]{1,30}$/);
const files = fc.dictionary(
  fc.array(name, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/")),
  fc.uint8Array({ maxLength: 1_500 }),
);

function worldOf(tree: FileTree): Shell {
  return new Shell({ hostname: "h", environment: new Map(), files: tree, folder: "/", tty: false });
}

/** Runs a program of the shell on bytes. */
function run(tree: FileTree, words: readonly string[], input: Uint8Array, pieceBytes: number) {
  const sent: Uint8Array[] = [];
  let err = "";
  let at = 0;
  const script = worldOf(tree).program(words)!;
  let step = script.next("");
  while (step.done !== true) {
    const effect = step.value;
    let answer = "";
    if (effect.is === "send") sent.push(effect.bytes);
    if (effect.is === "write") err += effect.text;
    if (effect.is === "now") answer = "9000";
    if (effect.is === "take") {
      answer = String.fromCharCode(...input.subarray(at, at + pieceBytes));
      at += pieceBytes;
    }
    step = script.next(answer);
  }
  return { code: step.value, bytes: concatBytes(sent), err };
}

const nothing = new Uint8Array(0);

describe("tar", () => {
  it("brings files through an archive as they were, in whatever pieces", () => {
    fc.assert(
      fc.property(files, fc.integer({ min: 1, max: 3_000 }), (wanted, pieceBytes) => {
        const from = new FileTree(new FileBudget(1_000_000));
        from.makeFolders("/data", 0);
        const made = Object.entries(wanted).filter(([path, bytes]) => {
          const full = `/data/${path}`;
          from.makeFolders(full.slice(0, full.lastIndexOf("/")), 0);
          return from.write(full, { bytes, modified: 7 }) === undefined;
        });
        const packed = run(from, ["tar", "cf", "-", "data"], nothing, 1);
        expect(packed.code).toBe(0);
        const to = new FileTree(new FileBudget(1_000_000));
        expect(run(to, ["tar", "-xf", "-", "-C", "/tmp"], packed.bytes, pieceBytes).code).toBe(0);
        for (const [path] of made) {
          const { bytes, modified } = to.find(`/tmp/data/${path}`)!;
          expect([bytes, modified]).toEqual([from.find(`/data/${path}`)!.bytes, 7]);
        }
        expect(to.under("/tmp/data")).toHaveLength(from.under("/data").length);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps names in the folder, and the time where asked", () => {
    const entry = { path: "/x", bytes: encodeUtf8("x"), mode: 0o600, modified: 7 };
    const archive = concatBytes([tarEntry(entry, "../../etc/x"), tarEnd]);
    const tree = new FileTree(new FileBudget(1_000));
    run(tree, ["tar", "-xmf", "-", "-C", "/tmp"], archive, 512);
    expect(tree.find("/tmp/etc/x")).toMatchObject({ mode: 0o600, modified: 9 });
  });

  it("says what is wrong", () => {
    const tree = new FileTree(new FileBudget(1_000));
    expect(run(tree, ["tar", "cf", "-", "/nosuch"], nothing, 1)).toMatchObject({
      code: 2,
      err: "tar: /nosuch: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors\n",
    });
    expect(run(tree, ["tar", "xf", "-", "-C", "/no"], nothing, 1).err).toContain(
      "tar: /no: Cannot open: No such file or directory",
    );
    const junk = run(tree, ["tar", "xf", "-"], new Uint8Array(600).fill(65), 512);
    expect(junk.err).toBe("tar: This does not look like a tar archive\n");
    const long = { path: "/x", bytes: new Uint8Array(2_000), mode: 0o644, modified: 0 };
    const full = run(tree, ["tar", "xf", "-"], concatBytes([tarEntry(long, "x"), tarEnd]), 512);
    expect([full.code, full.err]).toEqual([2, expect.stringContaining("No space left on device")]);
    const cut = run(tree, ["tar", "xf", "-"], tarEntry(long, "x").subarray(0, 700), 512);
    expect(cut.err).toBe("tar: Unexpected EOF in archive\n");
  });

  it("knows GNU's long names", () => {
    expect(longNameOf("long name", encodeUtf8("a/b\0"))).toBe("a/b");
  });

  it("reads no header but a header", () => {
    expect(readTarHeader(new Uint8Array(tarBlockBytes))).toBeUndefined();
    expect(() => readTarHeader(new Uint8Array(tarBlockBytes).fill(1))).toThrow(RangeError);
  });
});
