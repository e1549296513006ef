// Fills Secrets of type kubernetes.io/service-account-token, and removes them when their account is gone. The server does
// it, not a controller of the client tower: it alone has the key (upstream: controller/serviceaccount/tokens_controller.go).
import type { AccountTokenProfile } from "../access/account-tokens.ts";
import {
  accountOf,
  completed,
  isForAnother,
  isIncomplete,
  legacyClaims,
  tokenSecretType,
} from "../access/legacy-token.ts";
import { StatusError } from "../api/meta/errors.ts";
import { parseObject } from "../api/codec/parse-object.ts";
import type { KubeObject } from "../api/object.ts";
import type { Secret } from "../api/types/core-v1.ts";
import type { Cancel, Host } from "../host/host.ts";
import type { TokenSigner } from "../host/token-signer.ts";
import type { Registries } from "../registry/registry.ts";
import type { WatchItem } from "../watchcache/resource-cache.ts";
import { startAccountTokens } from "./account-tokens.ts";
import type { CachedObjectReader } from "./cached-object-reader.ts";
import { Keeper } from "./keeper.ts";
import type { RegistryWriter } from "./registry-writer.ts";

export interface TokenSecretParts {
  readonly registries: Registries;
  readonly reader: CachedObjectReader;
  readonly writer: RegistryWriter;
  readonly signer: TokenSigner;
  /** PEM. */
  readonly caBundle: string;
  readonly created: AccountTokenProfile["created"];
}

export function startTokenSecrets(host: Host, parts: TokenSecretParts): Cancel {
  const keepers = [
    new Keeper(host, parts.registries, {
      resource: ["", "secrets"],
      fieldSelector: `type=${tokenSecretType}`,
      begin: () => {},
      async sync(items) {
        for (const secret of changedIn(items)) await settle(parts, secret);
      },
    }),
    new Keeper(host, parts.registries, {
      resource: ["", "serviceaccounts"],
      fieldSelector: "",
      begin: () => {},
      async sync(items) {
        for (const item of items)
          if (item.type === "DELETED") await removeOf(parts, parseObject(item.object.bytes));
      },
    }),
  ];
  for (const keeper of keepers) keeper.start();
  const giving = parts.created === "with the account" ? startAccountTokens(host, parts) : undefined;
  return () => {
    giving?.();
    for (const keeper of keepers) keeper.stop();
  };
}

function changedIn(items: readonly WatchItem[]): Secret[] {
  return items
    .flatMap((item) =>
      item.type === "ADDED" || item.type === "MODIFIED" ? [parseObject(item.object.bytes)] : [],
    )
    .filter(({ metadata }) => typeof metadata.deletionTimestamp !== "string");
}

async function settle(parts: TokenSecretParts, secret: Secret): Promise<void> {
  const { namespace = "", name = "" } = secret.metadata;
  const known = secret as KubeObject;
  const account = accountOf(known);
  const owner = await parts.reader.findFresh("serviceaccounts", namespace, account);
  const uid = owner?.metadata.uid ?? "";
  if (uid === "" || isForAnother(known, uid)) return remove(parts, namespace, name);
  const { caBundle } = parts;
  if (!isIncomplete(secret, caBundle)) return;
  const token = await parts.signer.sign(legacyClaims({ namespace, secret: name, account, uid }));
  await unlessGone(
    // Whoever was faster keeps the token that is there.
    parts.writer.change("secrets", { namespace, name }, (current) =>
      completed(current, { uid, token, caBundle }),
    ),
  );
}

async function removeOf(parts: TokenSecretParts, { metadata }: KubeObject): Promise<void> {
  const { namespace = "", name = "", uid = "" } = metadata;
  for (const secret of parts.reader.list("secrets", namespace)) {
    const isItsOwn =
      secret["type"] === tokenSecretType &&
      accountOf(secret) === name &&
      !isForAnother(secret, uid);
    if (isItsOwn) await remove(parts, namespace, secret.metadata.name ?? "");
  }
}

async function remove(
  { writer }: TokenSecretParts,
  namespace: string,
  name: string,
): Promise<void> {
  await unlessGone(writer.delete("secrets", namespace, name));
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
  }
}
