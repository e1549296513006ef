// Legacy service account tokens as their users see them.
import { afterEach, describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import type { TokenReview } from "../api/types/authentication-v1.ts";
import { ComponentTestbed } from "./component.testbed.ts";

const namespace = "default";
const type = "kubernetes.io/service-account-token";
let bed: ComponentTestbed;

afterEach(async () => {
  await bed.stop();
  expect(bed.complaints).toEqual([]);
});

const secrets = () => bed.client.resource("secrets");
const accounts = () => bed.client.resource("serviceaccounts");

async function tokenOf(account: string): Promise<string> {
  const annotations = { "kubernetes.io/service-account.name": account };
  await bed.run(secrets().create({ metadata: { name: "t", namespace, annotations }, type }));
  await bed.driver.advance(1_000);
  const secret = await bed.run(secrets().find({ namespace, name: "t" }));
  return Buffer.from(secret?.data?.["token"] ?? "", "base64").toString();
}

async function review(token: string): Promise<TokenReview["status"]> {
  const reviews = bed.client.resource("tokenreviews.authentication.k8s.io");
  const answer = (await bed.run(reviews.create({ metadata: {}, spec: { token } }))) as TokenReview;
  return answer.status;
}

describe("a token Secret", () => {
  it("gets token, namespace and bundle, and is worth as long as it lives", async () => {
    bed = await ComponentTestbed.start(1, engine, {}, { caBundle: "PEM" });
    await bed.run(accounts().create({ metadata: { name: "robot", namespace } }));
    const token = await tokenOf("robot");
    const { data, metadata } = await bed.run(secrets().get({ namespace, name: "t" }));
    expect(Buffer.from(data?.["namespace"] ?? "", "base64").toString()).toBe(namespace);
    expect(Buffer.from(data?.["ca.crt"] ?? "", "base64").toString()).toBe("PEM");
    const { uid } = (await bed.run(accounts().get({ namespace, name: "robot" }))).metadata;
    expect(metadata.annotations?.["kubernetes.io/service-account.uid"]).toBe(uid);
    expect(await review(token)).toMatchObject({
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:robot",
        uid,
        groups: [
          "system:serviceaccounts",
          "system:serviceaccounts:default",
          "system:authenticated",
        ],
      },
    });
    await bed.run(secrets().delete({ namespace, name: "t" }));
    await bed.driver.advance(1_000);
    expect(await review(token)).toMatchObject({
      error: expect.stringContaining("service account token has been invalidated") as string,
    });
  });

  it("goes with its account, also where there never was one", async () => {
    bed = await ComponentTestbed.start(2, engine, {});
    await bed.run(accounts().create({ metadata: { name: "robot", namespace } }));
    const token = await tokenOf("robot");
    await bed.run(accounts().delete({ namespace, name: "robot" }));
    await bed.driver.advance(1_000);
    expect(await bed.run(secrets().find({ namespace, name: "t" }))).toBeUndefined();
    expect((await review(token))?.authenticated).not.toBe(true);
    expect(await tokenOf("nobody")).toBe("");
    expect(await bed.run(secrets().find({ namespace, name: "t" }))).toBeUndefined();
  });

  it("is filled again when what is in it is taken out", async () => {
    bed = await ComponentTestbed.start(3, engine, {});
    await bed.run(accounts().create({ metadata: { name: "robot", namespace } }));
    const token = await tokenOf("robot");
    const patch = { data: { token: null, "ca.crt": null } };
    await bed.run(secrets().patch({ namespace, name: "t" }, { type: "merge", patch }));
    await bed.driver.advance(1_000);
    expect((await bed.run(secrets().get({ namespace, name: "t" }))).data?.["token"]).toBeTruthy();
    expect(await review(token)).toMatchObject({ authenticated: true });
  });
});
