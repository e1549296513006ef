import { describe, expect, test } from "vitest";
import { StatusError } from "../../api/meta/errors.ts";
import type { PeerCertificate } from "../../host/http.ts";
import { createCertificateAuthenticator } from "./client-certificate.ts";
import { createRequestAuthenticator } from "./request-authenticator.ts";
import { createStaticTokenAuthenticator, parseTokenFile } from "./static-token.ts";
import { unionTokenAuthenticator } from "./token-authenticator.ts";

const tokens = unionTokenAuthenticator([
  createStaticTokenAuthenticator(parseTokenFile('secret,bob,7,"dev"')),
]);
const make = () => createRequestAuthenticator(createCertificateAuthenticator(), tokens, ["api"]);
const certificate = (commonName: string, ...organizations: string[]): PeerCertificate => ({
  commonName,
  organizations,
  sha256: `0f${commonName}`,
});
const by = (authorization?: string, shown?: PeerCertificate) => ({
  peer: { address: "127.0.0.1", ...(shown === undefined ? {} : { certificate: shown }) },
  authorization,
});

const bob = { name: "bob", uid: "7", groups: ["dev", "system:authenticated"], extra: {} };
const nobody = { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} };
const ann = {
  name: "ann",
  uid: "",
  groups: ["ops", "system:authenticated"],
  extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=0fann"] },
};

describe("createRequestAuthenticator", () => {
  test.each([
    ["nothing", by(), nobody],
    ["another scheme", by("Basic eDp5"), nobody],
    ["an empty token", by("Bearer "), nobody],
    ["a token", by("Bearer secret"), bob],
    ["the scheme in any case", by("bEARER secret"), bob],
    ["a certificate", by(undefined, certificate("ann", "ops")), ann],
    ["a certificate before a wrong token", by("Bearer wrong", certificate("ann", "ops")), ann],
    ["a nameless certificate", by("Bearer secret", certificate("", "ops")), bob],
  ])("%s", async (_, credentials, user) => {
    expect(await make().authenticate(credentials)).toEqual(user);
  });

  test.each([
    ["a wrong token is never anonymous", by("Bearer wrong")],
    [
      "nor is a certificate that nobody signed",
      {
        ...by(),
        peer: { address: "127.0.0.1", certificateRefused: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" },
      },
    ],
  ])("%s", async (_, credentials) => {
    const attempt = async (): Promise<unknown> => await make().authenticate(credentials);
    const failed: unknown = await attempt().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StatusError);
    expect(failed).toMatchObject({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  });

  test("the same certificate is the same user", async () => {
    const authenticator = make();
    const first = await authenticator.authenticate(by(undefined, certificate("ann")));
    expect(await authenticator.authenticate(by(undefined, certificate("ann")))).toBe(first);
  });
});
