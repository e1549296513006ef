import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import type { PolicyRule } from "../api/types/rbac-v1.ts";
import type { UserInfo } from "../api/user-info.ts";
import { createTestHost } from "../host/host.testbed.ts";
import { createTokenSigner } from "../host/node/token-signer.ts";
import { admissionCall } from "./admission-call.testbed.ts";
import { bootstrapPolicy } from "./bootstrap-policy.ts";
import { buildAccess, tokenIssuer } from "./build.ts";
import { HeldObjects } from "./held-objects.testbed.ts";
import type { ReviewCall } from "./reviews/review.ts";

const start = Date.parse("2026-01-02T03:04:05.900Z");
const group = "rbac.authorization.k8s.io";
const signer = createTokenSigner(
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString(),
);
const ann: UserInfo = {
  name: "ann",
  uid: "1",
  groups: ["dev", "system:authenticated"],
  extra: { k: ["v"] },
};
const call = (change: Partial<ReviewCall> = {}): ReviewCall => ({
  user: ann,
  namespace: "",
  name: "",
  dryRun: false,
  ...change,
});
const forAccount = call({ namespace: "ns", name: "sa" });

function setUp() {
  const host = createTestHost(start);
  const held = new HeldObjects()
    .put("serviceaccounts", { metadata: { name: "sa", namespace: "ns", uid: "s1" } })
    .put("nodes", { metadata: { name: "n", uid: "n1" } })
    .put("secrets", { metadata: { name: "x", namespace: "ns", uid: "x1" } })
    .put(
      "pods",
      {
        metadata: { name: "p", namespace: "ns", uid: "p1" },
        spec: { serviceAccountName: "sa", nodeName: "n" },
      },
      {
        metadata: { name: "other", namespace: "ns", uid: "p2" },
        spec: { serviceAccountName: "x" },
      },
    );
  for (const object of bootstrapPolicy())
    held.put(`${object.kind?.toLowerCase()}s.${group}`, object);
  const access = buildAccess(host, held, signer, {
    accountTokens: { created: "on request", mounted: "projected" },
    nodePods: { onNode: () => [] },
    tokens: 'secret,bob,2,"dev"',
    externalAddress: "127.0.0.1:6443",
    quotas: { list: () => [], changeStatus: () => Promise.resolve() },
  });
  const review = async (which: string, object: object, how = call()): Promise<KubeObject> => {
    const [of = "", resource = ""] = which.split(" ");
    const found = access.reviews.find(of, resource);
    if (found === undefined) throw new Error(`no review ${which}`);
    return found.review({ metadata: {}, ...object }, how);
  };
  const failure = async (
    which: string,
    object: object,
    how = call(),
  ): Promise<[number, string]> => {
    const error: unknown = await review(which, object, how).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const { code, message } = error as { code: number; message: string };
    return [code, message];
  };
  return { host, held, access, review, failure };
}

describe("token requests", () => {
  const path = " serviceaccounts/token";
  const token = (object: KubeObject): string => (object["status"] as { token: string }).token;
  const payload = (jwt: string): unknown =>
    JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());

  test("go out and come back as the account", async () => {
    const { access, review, host } = setUp();
    const answer = await review(path, { spec: {} }, forAccount);
    expect(answer).toEqual({
      metadata: { name: "sa", namespace: "ns" },
      spec: { audiences: [tokenIssuer], expirationSeconds: 3600 },
      status: { token: token(answer), expirationTimestamp: "2026-01-02T04:04:05Z" },
    });
    const authorization = `Bearer ${token(answer)}`;
    const peer = { address: "::1" };
    const user = await access.authenticator.authenticate({ peer, authorization });
    expect(user).toMatchObject({ name: "system:serviceaccount:ns:sa", uid: "s1" });
    expect(await access.authenticator.authenticate({ peer, authorization })).toBe(user);
    await host.advance(3_601_000);
    await expect(access.authenticator.authenticate({ peer, authorization })).rejects.toThrow(
      "Unauthorized",
    );
  });

  test("for a pod name its node; kubelet's live a year", async () => {
    const { review } = setUp();
    const spec = {
      expirationSeconds: 3607,
      boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "p1" },
    };
    const answer = await review(path, { spec }, forAccount);
    const now = Math.floor(start / 1000);
    expect(payload(token(answer))).toEqual({
      aud: [tokenIssuer],
      exp: now + 31_536_000,
      iat: now,
      iss: tokenIssuer,
      jti: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      "kubernetes.io": {
        namespace: "ns",
        node: { name: "n", uid: "n1" },
        pod: { name: "p", uid: "p1" },
        serviceaccount: { name: "sa", uid: "s1" },
        warnafter: now + 3607,
      },
      nbf: now,
      sub: "system:serviceaccount:ns:sa",
    });
    expect(answer["status"]).toMatchObject({ expirationTimestamp: "2026-01-02T04:04:12Z" });
  });

  test.each<[string, object]>([
    ["secret", { kind: "Secret", apiVersion: "v1", name: "x" }],
    ["node", { kind: "Node", apiVersion: "v1", name: "n" }],
  ])("are bound to a %s", async (claim, boundObjectRef) => {
    const { review } = setUp();
    const answer = await review(path, { spec: { boundObjectRef } }, forAccount);
    expect(payload(token(answer))).toHaveProperty(["kubernetes.io", claim]);
  });

  test.each<[string, object, ReviewCall, number, string]>([
    [
      "a lost account",
      {},
      { ...forAccount, name: "gone" },
      404,
      'serviceaccounts "gone" not found',
    ],
    [
      "a short life",
      { expirationSeconds: 599 },
      forAccount,
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      "a long life",
      { expirationSeconds: 2 ** 32 + 1 },
      forAccount,
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      "a lost pod",
      { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "q" } },
      forAccount,
      404,
      'pods "q" not found',
    ],
    [
      "another account's pod",
      { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "other" } },
      forAccount,
      400,
      'cannot bind token for serviceaccount "sa" to pod running with different serviceaccount name.',
    ],
    [
      "an earlier pod",
      { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "p0" } },
      forAccount,
      409,
      'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (p0) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      "another kind",
      { boundObjectRef: { kind: "Deployment", apiVersion: "apps/v1", name: "d" } },
      forAccount,
      400,
      "cannot bind token to object of type apps/v1, Kind=Deployment",
    ],
  ])("are refused for %s", async (_, spec, how, code, message) => {
    expect(await setUp().failure(path, { spec }, how)).toEqual([code, message]);
  });
});

describe("token reviews", () => {
  const path = "authentication.k8s.io tokenreviews";

  test.each<[string, object, object]>([
    [
      "a static token",
      { token: "secret", audiences: ["any"] },
      {
        authenticated: true,
        user: { username: "bob", uid: "2", groups: ["dev", "system:authenticated"] },
        audiences: ["any"],
      },
    ],
    ["a wrong one", { token: "x" }, { user: {}, error: "invalid bearer token" }],
  ])("%s", async (_, spec, status) => {
    expect((await setUp().review(path, { spec }))["status"]).toEqual(status);
  });

  test("say what is wrong with an account's token", async () => {
    const { review } = setUp();
    const made = await review(
      " serviceaccounts/token",
      { spec: { audiences: ["vault"] } },
      forAccount,
    );
    const { token } = made["status"] as { token: string };
    expect((await review(path, { spec: { token } }))["status"]).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${tokenIssuer}"]]`,
    });
    expect((await review(path, { spec: { token, audiences: ["vault"] } }))["status"]).toMatchObject(
      {
        authenticated: true,
        audiences: ["vault"],
        user: { username: "system:serviceaccount:ns:sa" },
      },
    );
  });

  test("need a token", async () => {
    expect(await setUp().failure(path, { spec: {} })).toEqual([
      400,
      "token is required for TokenReview in authentication",
    ]);
  });
});

describe("access reviews", () => {
  const about = (kind: string) => `authorization.k8s.io ${kind}`;
  const pods = { verb: "list", resource: "pods", namespace: "ns" };

  test.each<[string, string, object, ReviewCall, object]>([
    [
      "oneself",
      about("selfsubjectaccessreviews"),
      { nonResourceAttributes: { verb: "get", path: "/version" } },
      call(),
      {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
      },
    ],
    [
      "oneself, in vain",
      about("selfsubjectaccessreviews"),
      { resourceAttributes: pods },
      call(),
      { allowed: false },
    ],
    [
      "another",
      about("subjectaccessreviews"),
      { resourceAttributes: { verb: "*", resource: "*", group: "*" }, groups: ["system:masters"] },
      call(),
      { allowed: true },
    ],
    [
      "another in a namespace",
      about("localsubjectaccessreviews"),
      { resourceAttributes: pods, user: "eve" },
      call({ namespace: "ns" }),
      { allowed: false },
    ],
  ])("about %s", async (_, which, spec, how, status) => {
    expect((await setUp().review(which, { spec }, how))["status"]).toEqual(status);
  });

  test.each<[string, string, object, ReviewCall, string]>([
    [
      "nothing",
      "selfsubjectaccessreviews",
      { spec: {} },
      call(),
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ],
    [
      "two things",
      "selfsubjectaccessreviews",
      { spec: { resourceAttributes: {}, nonResourceAttributes: { path: "/" } } },
      call(),
      'spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      "nobody",
      "subjectaccessreviews",
      { spec: { resourceAttributes: pods } },
      call(),
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      "another namespace",
      "localsubjectaccessreviews",
      {
        metadata: { namespace: "ns" },
        spec: { user: "u", resourceAttributes: { namespace: "x" } },
      },
      call({ namespace: "ns" }),
      'spec.resourceAttributes.namespace: Invalid value: "x": must match metadata.namespace',
    ],
    [
      "a path in a namespace",
      "localsubjectaccessreviews",
      { spec: { user: "u", nonResourceAttributes: { path: "/" } } },
      call({ namespace: "ns" }),
      'spec.nonResourceAttributes: Invalid value: {"path":"/"}: disallowed on this kind of request',
    ],
    [
      "an object with a name",
      "subjectaccessreviews",
      { metadata: { name: "n" }, spec: { user: "u", resourceAttributes: pods } },
      call(),
      'metadata: Invalid value: {"name":"n"}: must be empty',
    ],
  ])("refuse %s", async (_, resource, object, how, why) => {
    const kinds: Record<string, string> = {
      selfsubjectaccessreviews: "SelfSubjectAccessReview",
      subjectaccessreviews: "SubjectAccessReview",
      localsubjectaccessreviews: "LocalSubjectAccessReview",
    };
    const [code, message] = await setUp().failure(about(resource), object, how);
    expect([code, message]).toEqual([
      422,
      `${kinds[resource]}.authorization.k8s.io "" is invalid: ${why}`,
    ]);
  });

  test("tell who one is", async () => {
    const answer = await setUp().review("authentication.k8s.io selfsubjectreviews", {});
    expect(answer).toEqual({
      metadata: { creationTimestamp: "2026-01-02T03:04:05Z" },
      status: {
        userInfo: {
          username: "ann",
          uid: "1",
          groups: ["dev", "system:authenticated"],
          extra: { k: ["v"] },
        },
      },
    });
  });

  test("list one's rules", async () => {
    const { held, review, failure } = setUp();
    const rules: PolicyRule[] = [
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] },
    ];
    held.put(`roles.${group}`, { metadata: { name: "r", namespace: "ns" }, rules });
    for (const name of ["r", "gone"]) {
      held.put(`rolebindings.${group}`, {
        metadata: { name, namespace: "ns" },
        roleRef: { apiGroup: group, kind: "Role", name },
        subjects: [{ kind: "User", name: "ann" }],
      });
    }
    const path = about("selfsubjectrulesreviews");
    const status = (await review(path, { spec: { namespace: "ns" } }))["status"] as {
      resourceRules: unknown[];
      nonResourceRules: unknown[];
    };
    expect(status).toMatchObject({
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
    });
    expect(status.resourceRules).toContainEqual(rules[0]);
    expect(status.nonResourceRules).toContainEqual({
      verbs: ["get"],
      nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"],
    });
    expect(await failure(path, { spec: {} })).toEqual([400, "no namespace on request"]);
  });
});

test("publishes the keys with which tokens can be checked", () => {
  const { access } = setUp();
  expect(access.tokenKeys.configuration()).toEqual({
    issuer: tokenIssuer,
    jwks_uri: "https://127.0.0.1:6443/openid/v1/jwks",
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
  expect(access.tokenKeys.keys()).toMatchObject({
    keys: [{ use: "sig", kty: "EC", alg: "ES256", crv: "P-256" }],
  });
});

test("runs the admission chain in order", async () => {
  const { held, access } = setUp();
  held.put("namespaces", { metadata: { name: "ns" }, status: { phase: "Active" } });

  const pod: KubeObject = {
    metadata: { name: "p", namespace: "ns" },
    spec: { serviceAccountName: "sa", containers: [] },
  };
  await access.admission.mutate(admissionCall("CREATE", "pods", pod));
  await access.admission.validate(admissionCall("CREATE", "pods", pod));
  expect(pod["spec"]).toMatchObject({ priority: 0, serviceAccount: "sa", tolerations: [{}, {}] });
});
