// A user from a client certificate the listener has already checked: common name and organizations
// (upstream: x509.CommonNameUserConversion).
import type { PeerCertificate } from "../../host/http.ts";
import type { UserInfo } from "../../api/user-info.ts";
import { BoundedMap } from "../../std/bounded-map.ts";
import { credentialIdKey, withAuthenticatedGroup } from "../users.ts";

/** Users kept by certificate: an identity that stays the same lets authorization keep what it found out, too. */
const certificatesMax = 16_384;

/** Undefined for a certificate without a common name: no credentials, not wrong ones. */
export type CertificateAuthenticator = (certificate: PeerCertificate) => UserInfo | undefined;

export function createCertificateAuthenticator(): CertificateAuthenticator {
  const users = new BoundedMap<UserInfo>(certificatesMax);
  return (certificate) => {
    if (certificate.commonName === "") return undefined;
    const known = users.get(certificate.sha256);
    if (known !== undefined) return known;
    const user = withAuthenticatedGroup({
      name: certificate.commonName,
      uid: "",
      groups: certificate.organizations,
      extra: { [credentialIdKey]: [`X509SHA256=${certificate.sha256}`] },
    });
    users.set(certificate.sha256, user);
    return user;
  };
}
