import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileBudget, FileTree, putText, resolvePath } from "./file-tree.ts";

const bytes = (count: number): Uint8Array => new Uint8Array(count);

it.each([
  ["/", "a/../b/./c//d", "/b/c/d"],
  ["/tmp", "x", "/tmp/x"],
  ["/tmp", "/x/", "/x"],
  ["/tmp", "../../..", "/"],
  ["/", ".", "/"],
])("in %s, %s is %s", (folder, path, resolved) => {
  expect(resolvePath(folder, path)).toBe(resolved);
});

describe("a file tree", () => {
  it("lists what is directly in a folder", () => {
    const tree = new FileTree(new FileBudget(100));
    putText(tree, "/tmp/b", "b");
    tree.makeFolders("/tmp/a/deep", 0);
    expect(tree.list("/tmp")).toEqual(["a", "b"]);
    expect(tree.list("/")).toContain("tmp");
    expect(tree.under("/tmp/a").map(({ path }) => path)).toEqual(["/tmp/a", "/tmp/a/deep"]);
  });

  it("refuses what cannot be", () => {
    const tree = new FileTree(new FileBudget(100));
    putText(tree, "/tmp/f", "f");
    const content = { bytes: bytes(1), modified: 0 };
    expect([
      tree.write("/no/f", content),
      tree.write("/tmp", content),
      tree.write("/tmp/f/g", content),
      tree.makeFolder("/tmp", 0),
      tree.makeFolders("/tmp/f/g", 0),
      tree.write("/tmp/h", { bytes: bytes(100), modified: 0 }),
    ]).toEqual([
      "No such file or directory",
      "Is a directory",
      "Not a directory",
      "File exists",
      "Not a directory",
      "No space left on device",
    ]);
  });

  it("holds so many names, and gives them back", () => {
    const tree = new FileTree(new FileBudget(100));
    let refusal: unknown;
    for (let count = 0; refusal === undefined && count < 20_000; count++)
      refusal = tree.makeFolder(`/tmp/${count}`, 0);
    expect(refusal).toBe("No space left on device");
    tree.remove("/tmp");
    expect(tree.makeFolder("/tmp", 0)).toBeUndefined();
  });

  it("takes from the budget what it holds, and gives all of it back", () => {
    const sizes = fc.array(
      fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 60 })),
    );
    fc.assert(
      fc.property(sizes, fc.boolean(), (writes, removes) => {
        const budget = new FileBudget(100);
        const tree = new FileTree(budget);
        for (const [name, size] of writes) {
          tree.write(`/tmp/${name}`, { bytes: bytes(size), modified: 0 });
          if (removes && size > 50) tree.remove(`/tmp/${name}`);
        }
        const held = tree.under("/tmp").reduce((sum, one) => sum + (one.bytes?.length ?? 0), 0);
        expect(held).toBeLessThanOrEqual(100);
        expect(budget.take(101 - held)).toBe(false);
        tree.close();
        expect(budget.take(100)).toBe(true);
      }),
    );
  });
});
