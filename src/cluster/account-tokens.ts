// Gives every ServiceAccount a Secret for its token, as Kubernetes did up to 1.23; what is in the Secret is token-secrets.ts's
// (upstream: controller/serviceaccount/tokens_controller.go ensureReferencedToken).
import { findTokenSecret, isTokenOf } from "../access/account-tokens.ts";
import { tokenSecretType } from "../access/legacy-token.ts";
import type { ObjectReader } from "../access/object-reader.ts";
import { StatusError } from "../api/meta/errors.ts";
import { nameSuffix } from "../api/meta/random-names.ts";
import type { KubeObject } from "../api/object.ts";
import { parseObject } from "../api/codec/parse-object.ts";
import type { ObjectReference } from "../api/types/core-v1.ts";
import type { Cancel, Host, RandomStream } from "../host/host.ts";
import type { Registries } from "../registry/registry.ts";
import { Keeper } from "./keeper.ts";
import type { RegistryWriter } from "./registry-writer.ts";

export interface AccountTokenParts {
  readonly registries: Registries;
  readonly reader: ObjectReader;
  readonly writer: RegistryWriter;
}

export function startAccountTokens(host: Host, parts: AccountTokenParts): Cancel {
  const chance = host.random.stream("account-tokens");
  const keeper = new Keeper(host, parts.registries, {
    resource: ["", "serviceaccounts"],
    fieldSelector: "",
    begin: () => {},
    async sync(items) {
      for (const item of items) {
        if (item.type !== "ADDED" && item.type !== "MODIFIED") continue;
        const account = parseObject(item.object.bytes);
        if (typeof account.metadata.deletionTimestamp !== "string")
          await giveToken(parts, account, chance);
      }
    },
  });
  keeper.start();
  return () => keeper.stop();
}

/** Every step may have been done before, by a server that ended in between. */
async function giveToken(
  { reader, writer }: AccountTokenParts,
  account: KubeObject,
  chance: RandomStream,
): Promise<void> {
  if (findTokenSecret(reader, account) !== undefined) return;
  const { namespace = "", name: owner = "", uid = "" } = account.metadata;
  const own = reader.list("secrets", namespace).find((one) => isTokenOf(one, owner, uid));
  const name = own?.metadata.name ?? `${owner}-token-${nameSuffix(chance)}`;
  const annotations = {
    "kubernetes.io/service-account.name": owner,
    "kubernetes.io/service-account.uid": uid,
  };
  const secret = { metadata: { name, namespace, annotations }, type: tokenSecretType };
  try {
    if (own === undefined) await writer.create("secrets", secret);
    await writer.change("serviceaccounts", { namespace, name: owner }, (current) => ({
      ...current,
      secrets: withReference((current["secrets"] ?? []) as ObjectReference[], name),
    }));
  } catch (error) {
    // The account or its namespace is going away.
    const expected = ["NotFound", "Forbidden", "AlreadyExists"];
    if (!(error instanceof StatusError) || !expected.includes(error.reason)) throw error;
  }
}

function withReference(secrets: readonly ObjectReference[], name: string): ObjectReference[] {
  return secrets.some((one) => one.name === name) ? [...secrets] : [...secrets, { name }];
}
