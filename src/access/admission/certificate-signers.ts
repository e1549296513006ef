// CertificateApproval, CertificateSigning and CertificateSubjectRestriction: who may say yes to a certificate request and
// who may fill it, by signer, and that nobody gets system:masters by it (upstream: plugin/pkg/admission/certificates).
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { CertificateSigningRequest } from "../../api/types/certificates-v1.ts";
import { Base64Error, decodeBase64 } from "../../std/base64.ts";
import { equalJson } from "../../std/json.ts";
import type { Authorizer } from "../authorization.ts";
import { mastersGroup } from "../users.ts";
import { type AdmissionStep, onlyFor } from "./chain.ts";
import { refuse } from "./refusal.ts";
import { decodeUtf8 } from "../../std/utf8.ts";

const clientSigner = "kubernetes.io/kube-apiserver-client";

export function certificateSigners(authorizer: Authorizer): AdmissionStep {
  return onlyFor(isUpdateOfRequest, async (attributes) => {
    const { subresource } = attributes;
    const old = attributes.oldObject as unknown as CertificateSigningRequest;
    const now = attributes.object as unknown as CertificateSigningRequest;
    const signer = old.spec?.signerName ?? "";
    if (subresource === "approval" && !(await mayAct(attributes, authorizer, "approve", signer)))
      throw refuse(
        attributes,
        `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`,
      );
    if (subresource !== "status" || !signs(now, old)) return;
    if (await mayAct(attributes, authorizer, "sign", signer)) return;
    throw refuse(
      attributes,
      `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`,
    );
  });
}

function isUpdateOfRequest({ operation, resource }: AdmissionAttributes): boolean {
  return resource.resource === "certificatesigningrequests" && operation === "UPDATE";
}

/** A request that failed was decided on by its signer as well. */
function signs(now: CertificateSigningRequest, old: CertificateSigningRequest): boolean {
  const failures = ({ status }: CertificateSigningRequest): unknown[] =>
    (status?.conditions ?? []).filter(({ type }) => type === "Failed");
  return (
    (now.status?.certificate ?? "") !== (old.status?.certificate ?? "") ||
    !equalJson(failures(now), failures(old))
  );
}

/** The right to one signer, or to all of its domain. */
async function mayAct(
  { user }: AdmissionAttributes,
  authorizer: Authorizer,
  verb: "approve" | "sign",
  signer: string,
): Promise<boolean> {
  const domain = `${signer.slice(0, signer.indexOf("/"))}/*`;
  for (const name of [signer, domain]) {
    const request = {
      kind: "Resource",
      group: "certificates.k8s.io",
      version: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    } as const;
    if ((await authorizer.authorize({ user, verb, request })).allowed) return true;
  }
  return false;
}

export const certificateSubjects: AdmissionStep = (attributes) => {
  const { operation, resource, subresource, object } = attributes;
  if (operation !== "CREATE" || subresource !== "" || object === undefined) return;
  if (resource.resource !== "certificatesigningrequests") return;
  const { spec } = object as unknown as CertificateSigningRequest;
  if (spec?.signerName !== clientSigner || !asksForMasters(spec.request)) return;
  throw refuse(
    attributes,
    `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`,
  );
};

/** Whether the subject has the organization `system:masters`: its object identifier, a string type, the text. */
function asksForMasters(request: string): boolean {
  const pem = decodeUtf8(bytesOf(request));
  const body = /-----BEGIN [^-]+-----([\s\S]*?)-----END/.exec(pem)?.[1] ?? "";
  const der = bytesOf(body.replaceAll(/\s/g, ""));
  const text = Array.from(der, (byte) => String.fromCharCode(byte)).join("");
  const organization = "\x06\x03\x55\x04\x0a";
  const length = String.fromCharCode(mastersGroup.length);
  return text
    .split(organization)
    .slice(1)
    .some((rest) => rest.slice(1).startsWith(length + mastersGroup));
}

/** What is not base64 is no request, and asks for nothing. */
function bytesOf(text: string): Uint8Array {
  try {
    return decodeBase64(text);
  } catch (error) {
    if (error instanceof Base64Error) return new Uint8Array();
    throw error;
  }
}
