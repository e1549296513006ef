// Keys and certificates kept between starts: <data-dir>/pki, readable by the owner only. Without a folder they live in
// memory and die with the process.
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Pki,
  certificateHolds,
  createPki,
  pairProblem,
  renewPki,
} from "../host/node/certificates.ts";
import { UsageError } from "./options.ts";

export interface Keys {
  readonly pki: Pki;
  /** PEM, PKCS #8, EC P-256: signs ServiceAccount tokens. */
  readonly serviceAccountKey: string;
}

/** `names`: what clients may call the server. Certificates that run out or lack a name are made anew, the CA stays. */
export async function openKeys(
  folder: string | undefined,
  names: readonly string[],
  now: number,
): Promise<Keys> {
  if (folder === undefined)
    return { pki: await createPki(names, now), serviceAccountKey: newSigningKey() };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { pki: await openPki(folder, names, now), serviceAccountKey: openSigningKey(folder) };
}

async function openPki(folder: string, names: readonly string[], now: number): Promise<Pki> {
  const kept = readPki(folder);
  if (kept && holds(kept, names, now)) return kept;
  const pki = kept ? await renewPki(kept.ca, names, now) : await createPki(names, now);
  for (const [name, pair] of Object.entries(pki)) {
    write(join(folder, `${name}.key`), pair.key);
    write(join(folder, `${name}.crt`), pair.certificate);
  }
  return pki;
}

function holds(pki: Pki, names: readonly string[], now: number): boolean {
  return (
    certificateHolds(pki.server.certificate, names, now) &&
    certificateHolds(pki.admin.certificate, [], now)
  );
}

function readPki(folder: string): Pki | undefined {
  const files = ["ca", "server", "admin"].flatMap((name) => [`${name}.key`, `${name}.crt`]);
  if (!files.every((name) => existsSync(join(folder, name)))) return undefined;
  const pair = (name: string): { certificate: string; key: string } => ({
    certificate: readFileSync(join(folder, `${name}.crt`), "utf8"),
    key: readFileSync(join(folder, `${name}.key`), "utf8"),
  });
  const pki = { ca: pair("ca"), server: pair("server"), admin: pair("admin") };
  for (const [name, kept] of Object.entries(pki)) {
    const problem = pairProblem(kept, pki.ca.certificate);
    if (problem !== undefined) throw unusable(folder, name, problem);
  }
  return pki;
}

function unusable(folder: string, name: string, problem: string): UsageError {
  return new UsageError(
    `${join(folder, name)} cannot be used: ${problem}; move ${folder} away, then new keys are made and clients need the new kubeconfig`,
  );
}

function openSigningKey(folder: string): string {
  const path = join(folder, "service-account.key");
  if (existsSync(path)) return readSigningKey(folder, path);
  const key = newSigningKey();
  write(path, key);
  return key;
}

function readSigningKey(folder: string, path: string): string {
  const key = readFileSync(path, "utf8");
  try {
    createPrivateKey(key);
    return key;
  } catch {
    throw unusable(folder, "service-account.key", "it cannot be read");
  }
}

function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Whole or not at all: a crash must not leave half a key. */
function write(path: string, text: string): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
