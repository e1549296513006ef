import { expect, it } from "vitest";
import { engine } from "../../../test/simulation.ts";
import { createSimulatedTokenSigner } from "./token-signer.ts";

const { digest } = engine;

it("verifies what it signed and nothing else", async () => {
  const signer = createSimulatedTokenSigner(digest, "one");
  const claims = { sub: "système", aud: ["a"] };
  const token = await signer.sign(claims);
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(await signer.verify(token)).toEqual(claims);
  expect(await signer.verify(`${token}x`)).toBeUndefined();
  expect(await signer.verify("a.b")).toBeUndefined();
  expect(await createSimulatedTokenSigner(digest, "two").verify(token)).toBeUndefined();
});
