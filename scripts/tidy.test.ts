import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { layers, tidy } from "./tidy.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** A check that saw too few files proves nothing. */
const sourcesMin = 100;

function readTree(): Map<string, string> {
  const paths = ["src", "docs"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|md)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

describe("the repository", () => {
  const tree = readTree();

  it("is seen whole", () => {
    expect([...tree.keys()].filter((path) => path.startsWith("src/")).length).toBeGreaterThan(
      sourcesMin,
    );
  });

  it("is tidy", () => {
    expect(tidy(tree)).toEqual([]);
  });

  it("tells the rank table in ARCHITECTURE.md", () => {
    const architecture = tree.get("docs/ARCHITECTURE.md") ?? "";
    const missing = layers.filter(
      ({ folder, rank }) =>
        [...tree.keys()].some((path) => path.startsWith(`${folder}/`)) &&
        !new RegExp(`^\\| *${rank} *\\| *\`${folder}\` *\\|`, "m").test(architecture),
    );
    expect(missing).toEqual([]);
  });
});

describe("the canary", () => {
  const head = "// Promise.\n";
  it.each([
    [
      "a higher rank",
      { "src/storage/a.ts": `${head}import "../registry/b.ts";` },
      "may not import",
    ],
    ["a sibling", { "src/access/a.ts": `${head}import "../registry/b.ts";` }, "may not import"],
    [
      "the other tower",
      { "src/controllers/a.ts": `${head}import type { A } from "../storage/b.ts";` },
      "may not import",
    ],
    ["a folder without a layer", { "src/odd/a.ts": `${head}import "../std/b.ts";` }, "no layer"],
    [
      "the node host",
      { "src/cluster/a.ts": `${head}import "../host/node/b.ts";` },
      "may not import",
    ],
    [
      "a test's support in the product",
      { "src/api/a.ts": `${head}import "./b.testbed.ts";` },
      "for tests only",
    ],
    ["a node module", { "src/api/a.ts": `${head}import "node:fs";` }, "outside the node edges"],
    ["the clock", { "src/api/a.ts": `${head}export const a = Date.now();` }, "Date.now"],
    ["a bare date", { "src/api/a.ts": `${head}export const a = new Date();` }, "new Date()"],
    ["chance", { "src/api/a.ts": `${head}export const a = Math.random();` }, "Math.random"],
    ["a timer", { "src/api/a.ts": `${head}setTimeout(() => {}, 1);` }, "setTimeout"],
    ["a lazy import", { "src/api/a.ts": `${head}void import("./b.ts");` }, "dynamic import"],
    ["the locale", { "src/api/a.ts": `${head}"a".localeCompare("b");` }, "localeCompare"],
    [
      "a cycle",
      { "src/api/a.ts": `${head}import "./b.ts";`, "src/api/b.ts": `${head}import "./a.ts";` },
      "import cycle",
    ],
    ["a long file", { "src/api/a.ts": head.repeat(601) }, "at most 600"],
    ["no opening comment", { "src/api/a.ts": "export const a = 1;" }, "opens with a comment"],
    ["a barrel", { "src/api/index.ts": `${head}export * from "./b.ts";` }, "no barrels"],
    ["a vague folder", { "src/api/utils/a.ts": head }, "named after its noun"],
    ["a camel-case file", { "src/api/fooBar.ts": head }, "kebab-case"],
    ["a syntax error", { "src/api/a.ts": "export const = 1;" }, "does not parse"],
    ["a long map", { "docs/ARCHITECTURE.md": "x\n".repeat(201) }, "at most 200"],
  ])("%s is found", (_name, files, complaint) => {
    const complaints = tidy(new Map(Object.entries(files)));
    expect(complaints.some((line) => line.includes(complaint))).toBe(true);
  });

  it("leaves good files alone", () => {
    const files = {
      "src/api/a.ts": `${head}import { b } from "../std/b.ts";\nexport const at = new Date(b);`,
      "src/cmd/a.ts": `${head}import "node:fs";\nimport "../host/node/b.ts";\nvoid Date.now();`,
    };
    expect(tidy(new Map(Object.entries(files)))).toEqual([]);
  });
});
