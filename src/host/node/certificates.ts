// X.509 for one control plane: a CA, the server's certificate and the administrator's, made with EC P-256 keys.
import { X509Certificate, createPrivateKey, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import type * as X509Module from "@peculiar/x509";

export interface KeyPair {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

export interface Pki {
  readonly ca: KeyPair;
  readonly server: KeyPair;
  /** Common name kubernetes-admin, organization system:masters. */
  readonly admin: KeyPair;
}

const caDays = 3650;
const leafDays = 365;
const dayMs = 86_400_000;
/** Certificates hold from a little before now, so that a client whose clock is behind can connect. */
const backdateMs = 3_600_000;

const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

type X509 = typeof X509Module;
type CryptoKeys = Awaited<ReturnType<typeof makeKeys>>;

/** `names`: DNS names and IP addresses that clients may use for the server. */
export async function createPki(names: readonly string[], now: number): Promise<Pki> {
  const x509 = await loadX509();
  const authority = await makeKeys();
  const ca = await selfSigned(x509, authority, now);
  const shared = { ca, signingKey: authority.privateKey, now };
  const [server, admin] = await Promise.all([
    issueCertificate(x509, { ...shared, ...serverLeaf, sans: names }),
    issueCertificate(x509, { ...shared, ...adminLeaf }),
  ]);
  return { ca: { certificate: ca.toString("pem"), key: await keyPem(authority) }, server, admin };
}

/** Server and administrator certificates anew from a kept CA: for other names, or when the old ones run out. */
export async function renewPki(ca: KeyPair, names: readonly string[], now: number): Promise<Pki> {
  const x509 = await loadX509();
  const der = createPrivateKey(ca.key).export({ type: "pkcs8", format: "der" });
  const signingKey = await webcrypto.subtle.importKey("pkcs8", der, keyAlgorithm, true, ["sign"]);
  const shared = { ca: new x509.X509Certificate(ca.certificate), signingKey, now };
  const [server, admin] = await Promise.all([
    issueCertificate(x509, { ...shared, ...serverLeaf, sans: names }),
    issueCertificate(x509, { ...shared, ...adminLeaf }),
  ]);
  return { ca, server, admin };
}

const serverLeaf = { subject: "CN=kube-apiserver", usage: "server" } as const;
const adminLeaf = {
  subject: "O=system:masters, CN=kubernetes-admin",
  usage: "client",
  sans: [],
} as const;

/** Whether a kept certificate still serves all of `names` for at least another week. */
export function certificateHolds(pem: string, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(pem);
  const lasts = Date.parse(certificate.validTo) - now > 7 * dayMs;
  const covers = (name: string): boolean =>
    isIP(name) === 0
      ? certificate.checkHost(name) !== undefined
      : certificate.checkIP(name) !== undefined;
  return lasts && names.every((name) => covers(name));
}

/** Why a kept pair is of no use, e.g. because somebody edited its files; undefined when it can serve. */
export function pairProblem(pair: KeyPair, caCertificate: string): string | undefined {
  try {
    const certificate = new X509Certificate(pair.certificate);
    if (!certificate.checkPrivateKey(createPrivateKey(pair.key)))
      return "its key and its certificate do not belong together";
    const { publicKey } = new X509Certificate(caCertificate);
    return certificate.verify(publicKey) ? undefined : "the CA did not sign it";
  } catch {
    return "it cannot be read";
  }
}

/** Loaded only when a certificate has to be made: a start from kept certificates never pays for it. */
async function loadX509(): Promise<X509> {
  // x509's dependency injection needs the Reflect metadata functions to exist first.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

function makeKeys() {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
}

async function keyPem(keys: CryptoKeys): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const lines = der.toString("base64").replace(/(.{64})(?=.)/g, "$1\n");
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
}

function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return Buffer.from(bytes).toString("hex");
}

function selfSigned(x509: X509, keys: CryptoKeys, now: number) {
  const { keyCertSign, digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  return x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: "CN=wavetank-ca",
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + caDays * dayMs),
    signingAlgorithm: keyAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(keyCertSign | digitalSignature | keyEncipherment, true),
    ],
  });
}

interface LeafOptions {
  readonly ca: InstanceType<X509["X509Certificate"]>;
  readonly signingKey: CryptoKeys["privateKey"];
  readonly subject: string;
  readonly usage: "server" | "client";
  /** DNS names and IP addresses. */
  readonly sans: readonly string[];
  readonly now: number;
}

async function issueCertificate(x509: X509, options: LeafOptions): Promise<KeyPair> {
  const keys = await makeKeys();
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const sans = options.sans.map((name) => ({
    type: isIP(name) === 0 ? ("dns" as const) : ("ip" as const),
    value: name,
  }));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: options.subject,
    issuer: options.ca.subject,
    notBefore: new Date(options.now - backdateMs),
    notAfter: new Date(options.now + leafDays * dayMs),
    signingAlgorithm: keyAlgorithm,
    publicKey: keys.publicKey,
    signingKey: options.signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature | keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([options.usage === "server" ? serverAuth : clientAuth]),
      ...(sans.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(sans)]),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await keyPem(keys) };
}
