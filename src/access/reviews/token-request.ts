// serviceaccounts/NAME/token: a fresh JWT for a ServiceAccount, perhaps bound to a pod, a secret or a node (upstream:
// registry/core/serviceaccount/storage/token.go).
import { badRequest, conflict, invalid, notFound } from "../../api/meta/errors.ts";
import { type FieldError, invalidValue } from "../../api/meta/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import type { BoundObjectReference, TokenRequestSpec } from "../../api/types/authentication-v1.ts";
import type { PodSpec } from "../../api/types/core-v1.ts";
import type { Host } from "../../host/host.ts";
import type { TokenSigner } from "../../host/token-signer.ts";
import { type ObjectReader, findSurely } from "../object-reader.ts";
import type { ObjectClaim, TokenClaims } from "../token-claims.ts";
import { serviceAccountUsername } from "../users.ts";
import type { Review } from "./review.ts";
import { randomUuid } from "../../api/meta/random-names.ts";
import { timestamp } from "../../api/meta/timestamp.ts";

export interface TokenRequestOptions {
  readonly issuer: string;
  /** Those of this API server. */
  readonly audiences: readonly string[];
}

const minExpirationSeconds = 600;
const maxExpirationSeconds = 4_294_967_296;
const defaultExpirationSeconds = 3600;

/** Old clients read a projected token once; theirs lives on, and a late use is only reported as stale. */
const projectedTokenSeconds = 3607;
const extendedExpirationSeconds = 31_536_000;

type BoundClaims = Pick<TokenClaims["kubernetes.io"], "pod" | "node" | "secret">;

export function tokenRequest(
  host: Host,
  reader: ObjectReader,
  signer: TokenSigner,
  options: TokenRequestOptions,
): Review {
  const random = host.random.stream("token-request");
  return {
    async review(object, { namespace, name }) {
      const account = await findSurely(reader, "serviceaccounts", { namespace, name });
      if (account === undefined) throw notFound({ group: "", resource: "serviceaccounts" }, name);
      checkName(object, name);
      const spec = completed(object["spec"] ?? {}, options);
      checkExpiration(spec.expirationSeconds);
      const bound = await boundClaims(reader, spec.boundObjectRef, { namespace, name });
      const now = Math.floor(host.clock.now() / 1000);
      const serviceaccount = claimOf(account);
      const claims: TokenClaims = {
        ...lifetime(spec, bound, options, now),
        iss: options.issuer,
        jti: randomUuid(random),
        "kubernetes.io": {
          namespace,
          ...bound,
          serviceaccount,
          ...(isExtended(spec, bound, options) ? { warnafter: now + spec.expirationSeconds } : {}),
        },
        sub: serviceAccountUsername({ namespace, name }),
      };
      const token = await signer.sign(sortedFields(claims));
      const expirationTimestamp = timestamp((now + spec.expirationSeconds) * 1000);
      const metadata = { ...object.metadata, name, namespace };
      return { ...object, metadata, spec, status: { token, expirationTimestamp } };
    },
  };
}

type CompletedSpec = TokenRequestSpec & { audiences: string[]; expirationSeconds: number };

function completed(spec: TokenRequestSpec, options: TokenRequestOptions): CompletedSpec {
  const asked = spec.audiences ?? [];
  return {
    ...spec,
    audiences: asked.length === 0 ? [...options.audiences] : asked,
    expirationSeconds: spec.expirationSeconds ?? defaultExpirationSeconds,
  };
}

function checkName({ metadata }: KubeObject, name: string): void {
  const own = metadata.name ?? "";
  if (own === "" || own === name) return;
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

function checkExpiration(seconds: number): void {
  const complain = (detail: string): FieldError[] => [
    invalidValue("spec.expirationSeconds", seconds, detail),
  ];
  const errors =
    seconds < minExpirationSeconds
      ? complain("may not specify a duration less than 10 minutes")
      : seconds > maxExpirationSeconds
        ? complain("may not specify a duration larger than 2^32 seconds")
        : [];
  if (errors.length === 0) return;
  throw invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", errors);
}

async function boundClaims(
  reader: ObjectReader,
  reference: BoundObjectReference | undefined,
  account: { readonly namespace: string; readonly name: string },
): Promise<BoundClaims> {
  if (reference === undefined) return {};
  const { apiVersion = "", kind = "" } = reference;
  const isCore = apiVersion === "v1";
  if (isCore && kind === "Pod") return podClaims(reader, reference, account);
  if (isCore && kind === "Secret") {
    const target = { resource: "secrets", namespace: account.namespace };
    return { secret: claimOf(await boundObject(reader, reference, target)) };
  }
  if (isCore && kind === "Node") {
    const target = { resource: "nodes", namespace: "" };
    return { node: claimOf(await boundObject(reader, reference, target)) };
  }
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
}

async function podClaims(
  reader: ObjectReader,
  reference: BoundObjectReference,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<BoundClaims> {
  const pod = await boundObject(reader, reference, { resource: "pods", namespace });
  const spec = pod["spec"] as PodSpec | undefined;
  if ((spec?.serviceAccountName ?? "") !== name) {
    const who = JSON.stringify(name);
    throw badRequest(
      `cannot bind token for serviceaccount ${who} to pod running with different serviceaccount name.`,
    );
  }
  const nodeName = spec?.nodeName ?? "";
  if (nodeName === "") return { pod: claimOf(pod) };
  // A pod may stand on a node that is gone; then the claim names it without a uid.
  const node = await findSurely(reader, "nodes", { namespace: "", name: nodeName });
  return { node: { name: nodeName, uid: node?.metadata.uid ?? "" }, pod: claimOf(pod) };
}

async function boundObject(
  reader: ObjectReader,
  { name = "", uid = "", kind = "" }: BoundObjectReference,
  { resource, namespace }: { readonly resource: string; readonly namespace: string },
): Promise<Readonly<KubeObject>> {
  const found = await findSurely(reader, resource, { namespace, name });
  if (found === undefined) throw notFound({ group: "", resource }, name);
  if (uid === "" || found.metadata.uid === uid) return found;
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group: "", resource: kind }, name, why);
}

function claimOf({ metadata }: Readonly<KubeObject>): ObjectClaim {
  return { name: metadata.name ?? "", uid: metadata.uid ?? "" };
}

function isExtended(
  spec: CompletedSpec,
  bound: BoundClaims,
  options: TokenRequestOptions,
): boolean {
  return (
    bound.pod !== undefined &&
    spec.expirationSeconds === projectedTokenSeconds &&
    spec.audiences.every((audience) => options.audiences.includes(audience))
  );
}

function lifetime(
  spec: CompletedSpec,
  bound: BoundClaims,
  options: TokenRequestOptions,
  now: number,
): Pick<TokenClaims, "aud" | "exp" | "iat" | "nbf"> {
  const seconds = isExtended(spec, bound, options)
    ? extendedExpirationSeconds
    : spec.expirationSeconds;
  return { aud: spec.audiences, exp: now + seconds, iat: now, nbf: now };
}

/** kube-apiserver's tokens carry their claims in alphabetical order. */
function sortedFields(claims: TokenClaims): object {
  const byName = Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byName);
}
