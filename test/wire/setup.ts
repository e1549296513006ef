// Before the wire tests: the bundle that users run, and the kubectl binaries.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { kubectlOf, minors } from "../../scripts/fetch-kubectl.ts";

export default function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync("node", ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
  for (const minor of minors) kubectlOf(minor);
}
