// The kubeconfig of a control plane's administrator.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Pki } from "../host/node/certificates.ts";

/** YAML text with everything embedded, so that the file can be copied. */
export function kubeconfigText(url: string, pki: Pki): string {
  const data = (pem: string): string => Buffer.from(pem).toString("base64");
  return `apiVersion: v1
kind: Config
clusters:
- name: wavetank
  cluster:
    server: ${url}
    certificate-authority-data: ${data(pki.ca.certificate)}
users:
- name: kubernetes-admin
  user:
    client-certificate-data: ${data(pki.admin.certificate)}
    client-key-data: ${data(pki.admin.key)}
contexts:
- name: wavetank
  context:
    cluster: wavetank
    user: kubernetes-admin
current-context: wavetank
`;
}

/** Mode 0600: the file holds the administrator's key. */
export function writeKubeconfig(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}
