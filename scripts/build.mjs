// Bundles the command and the library into dist/: one file each plus chunks that load only when they are needed
// (certificates, etcd). `npm ci` runs it through `prepare`, so that a checkout has a working `npx wavetank`.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The schema as a string for JSON.parse, which is read several times faster than an object literal of that size. */
const jsonAsText = {
  name: "json-as-text",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      return { contents: `export default JSON.parse(${JSON.stringify(text)});`, loader: "js" };
    });
  },
};

rmSync(`${root}/dist`, { recursive: true, force: true });
const { metafile } = await build({
  metafile: true,
  absWorkingDir: root,
  entryPoints: { wavetank: "src/cmd/main.ts", index: "src/index.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // ES modules where a package has them: they can be shaken, and dynamic imports keep their named exports.
  mainFields: ["module", "main"],
  // Native code finds its binary beside itself.
  external: ["lmdb"],
  plugins: [jsonAsText],
  sourcemap: "linked",
  legalComments: "linked",
  minifySyntax: true,
  minifyWhitespace: true,
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
chmodSync(`${root}/dist/wavetank.js`, 0o755);

// The licences of what was bundled, which must travel with it.
const bundled = new Set(
  Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  ),
);
const notices = [...bundled].toSorted().map((folder) => {
  const { name, version, license } = JSON.parse(
    readFileSync(`${root}/${folder}/package.json`, "utf8"),
  );
  const files = readdirSync(`${root}/${folder}`).filter((file) =>
    /^(licen[cs]e|notice)/i.test(file),
  );
  const texts = files.map((file) => readFileSync(`${root}/${folder}/${file}`, "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
});
writeFileSync(`${root}/dist/THIRD-PARTY.txt`, `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);

// Types of the library: of all declarations only the three that its users can see.
execFileSync(`${root}/node_modules/.bin/tsc`, ["-p", "tsconfig.types.json"], {
  cwd: root,
  stdio: "inherit",
});
mkdirSync(`${root}/dist/cmd`);
for (const name of ["index", "cmd/control-plane", "cmd/options"])
  renameSync(`${root}/dist/all-types/${name}.d.ts`, `${root}/dist/${name}.d.ts`);
rmSync(`${root}/dist/all-types`, { recursive: true });
