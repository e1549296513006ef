import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { createTokenSigner } from "../../host/node/token-signer.ts";
import { createTestHost } from "../../host/host.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import type { TokenClaims } from "../token-claims.ts";
import { createServiceAccountTokenAuthenticator } from "./service-account-token.ts";

const start = Date.parse("2026-01-02T03:04:05Z");
const seconds = start / 1000;
const issuer = "https://kubernetes.default.svc.cluster.local";

const object = (namespace: string, name: string, uid: string, extra = {}): KubeObject => ({
  metadata: { name, uid, ...(namespace === "" ? {} : { namespace }), ...extra },
});

const claims = (change: Partial<TokenClaims> = {}, kubernetes = {}): TokenClaims => ({
  aud: [issuer, "vault"],
  exp: seconds + 3600,
  iat: seconds,
  iss: issuer,
  jti: "j",
  "kubernetes.io": { namespace: "ns", serviceaccount: { name: "sa", uid: "u1" }, ...kubernetes },
  nbf: seconds,
  sub: "system:serviceaccount:ns:sa",
  ...change,
});

const newSigner = () =>
  createTokenSigner(
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString(),
  );
const signer = newSigner();
const stranger = newSigner();

function setUp() {
  const host = createTestHost(start);
  const held = new HeldObjects()
    .put("serviceaccounts", object("ns", "sa", "u1"))
    .put("pods", object("ns", "p", "p1"))
    .put("nodes", object("", "n", "n1"));
  const authenticator = createServiceAccountTokenAuthenticator(host, held, signer, { issuer });
  const ask = async (wanted: TokenClaims, audiences = [issuer]) =>
    authenticator.authenticateToken(await signer.sign(wanted), audiences);
  return { host, held, authenticator, ask };
}

describe("createServiceAccountTokenAuthenticator", () => {
  test("knows the account, its pod and its node", async () => {
    const { ask } = setUp();
    const bound = { pod: { name: "p", uid: "p1" }, node: { name: "n", uid: "n1" } };
    expect(await ask(claims({}, bound))).toEqual({
      kind: "Authenticated",
      audiences: [issuer],
      user: {
        name: "system:serviceaccount:ns:sa",
        uid: "u1",
        groups: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
        extra: {
          "authentication.kubernetes.io/credential-id": ["JTI=j"],
          "authentication.kubernetes.io/pod-name": ["p"],
          "authentication.kubernetes.io/pod-uid": ["p1"],
          "authentication.kubernetes.io/node-name": ["n"],
          "authentication.kubernetes.io/node-uid": ["n1"],
        },
      },
    });
  });

  test.each<[string, TokenClaims, string]>([
    ["expired", claims({ exp: seconds - 1 }), "service account token has expired"],
    ["early", claims({ nbf: seconds + 9 }), "service account token is not valid yet"],
    [
      "for others",
      claims({ aud: ["vault"] }),
      `token audiences ["vault"] is invalid for the target audiences ["${issuer}"]`,
    ],
    [
      "of a lost account",
      claims({ sub: "system:serviceaccount:ns:x" }, { serviceaccount: { name: "x", uid: "u" } }),
      'serviceaccounts "x" not found',
    ],
    [
      "of an earlier account",
      claims({}, { serviceaccount: { name: "sa", uid: "u0" } }),
      "service account UID (u1) does not match claim (u0)",
    ],
    [
      "of a lost pod",
      claims({}, { pod: { name: "gone", uid: "p" } }),
      "service account token has been invalidated",
    ],
    [
      "of an earlier pod",
      claims({}, { pod: { name: "p", uid: "p0" } }),
      "pod UID (p1) does not match service account pod ref claim (p0)",
    ],
    [
      "of an earlier node",
      claims({}, { node: { name: "n", uid: "n0" } }),
      "node UID (n1) does not match service account node ref claim (n0)",
    ],
  ])("refuses a token %s", async (_, wanted, error) => {
    expect(await setUp().ask(wanted)).toEqual({ kind: "Rejected", error });
  });

  test("a pod's node is not looked up", async () => {
    const bound = { pod: { name: "p", uid: "p1" }, node: { name: "lost", uid: "x" } };
    expect(await setUp().ask(claims({}, bound))).toMatchObject({ kind: "Authenticated" });
  });

  test("leaves alone what others made", async () => {
    const { authenticator, ask } = setUp();
    const foreign = await stranger.sign(claims());
    const forged = `${(await signer.sign(claims())).slice(0, -6)}AAAAAA`;
    for (const token of [foreign, forged, "opaque", "a.b.c", ""]) {
      expect(await authenticator.authenticateToken(token, [issuer])).toEqual({ kind: "Unknown" });
    }
    expect(await ask(claims({ iss: "https://elsewhere" }))).toEqual({ kind: "Unknown" });
    const notOurs = await signer.sign({ iss: issuer, exp: seconds + 60, sub: "x" });
    expect(await authenticator.authenticateToken(notOurs, [issuer])).toEqual({ kind: "Unknown" });
  });

  test("a kept token ends with its time, its account and its pod", async () => {
    const { host, held, authenticator } = setUp();
    const token = await signer.sign(claims({}, { pod: { name: "p", uid: "p1" } }));
    const ask = async () => (await authenticator.authenticateToken(token, [issuer])).kind;
    expect(await ask()).toBe("Authenticated");
    held.put("pods", object("ns", "p", "p1", { deletionTimestamp: "2026-01-02T03:04:05Z" }));
    expect(await ask()).toBe("Authenticated");
    await host.advance(61_000);
    held.put("pods", object("ns", "other", "p9"));
    expect(await ask()).toBe("Rejected");
    held.put("pods", object("ns", "p", "p1"));
    expect(await ask()).toBe("Authenticated");
    held.remove("serviceaccounts", "ns", "sa");
    expect(await ask()).toBe("Rejected");
    held.put("serviceaccounts", object("ns", "sa", "u1"));
    await host.advance(3_600_000);
    expect(await ask()).toBe("Rejected");
  });

  test("looks freshly before it refuses", async () => {
    const { held, ask } = setUp();
    held.putUnseen("serviceaccounts", object("ns", "new", "u2"));
    const wanted = claims(
      { sub: "system:serviceaccount:ns:new" },
      { serviceaccount: { name: "new", uid: "u2" } },
    );
    expect(await ask(wanted)).toMatchObject({ kind: "Authenticated" });
  });
});
