// The claims of a ServiceAccount token (upstream: pkg/serviceaccount/claims.go), and the way from a verified token's JSON
// to claims that can be relied on: anything of another shape is no ServiceAccount token.

export interface ObjectClaim {
  readonly name: string;
  readonly uid: string;
}

/** Times in Unix seconds. */
export interface TokenClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly node?: ObjectClaim;
    readonly pod?: ObjectClaim;
    readonly secret?: ObjectClaim;
    readonly serviceaccount: ObjectClaim;
    /** When set, using the token later than this is reported as stale. */
    readonly warnafter?: number;
  };
  readonly nbf: number;
  readonly sub: string;
}

type Json = Readonly<Record<string, unknown>>;

export function readClaims(claims: Json | undefined): TokenClaims | undefined {
  if (claims === undefined) return undefined;
  const { exp, iat, iss, nbf, sub, jti } = claims;
  const kubernetes = asRecord(claims["kubernetes.io"]);
  const account = readObject(kubernetes?.["serviceaccount"]);
  const namespace = kubernetes?.["namespace"];
  if (typeof exp !== "number" || typeof iss !== "string" || typeof sub !== "string") {
    return undefined;
  }
  if (account === undefined || typeof namespace !== "string") return undefined;
  if (sub !== `system:serviceaccount:${namespace}:${account.name}`) return undefined;
  return {
    aud: readAudiences(claims["aud"]),
    exp,
    iat: typeof iat === "number" ? iat : 0,
    iss,
    jti: typeof jti === "string" ? jti : "",
    "kubernetes.io": {
      namespace,
      serviceaccount: account,
      ...optional("node", readObject(kubernetes?.["node"])),
      ...optional("pod", readObject(kubernetes?.["pod"])),
      ...optional("secret", readObject(kubernetes?.["secret"])),
      ...(typeof kubernetes?.["warnafter"] === "number"
        ? { warnafter: kubernetes["warnafter"] }
        : {}),
    },
    nbf: typeof nbf === "number" ? nbf : 0,
    sub,
  };
}

function asRecord(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null ? (value as Json) : undefined;
}

/** RFC 7519 allows a single audience to stand bare. */
function readAudiences(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((word) => typeof word === "string");
}

function readObject(value: unknown): ObjectClaim | undefined {
  const { name, uid } = asRecord(value) ?? {};
  if (typeof name !== "string") return undefined;
  return { name, uid: typeof uid === "string" ? uid : "" };
}

function optional<Key extends string>(
  key: Key,
  value: ObjectClaim | undefined,
): Partial<Record<Key, ObjectClaim>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<Key, ObjectClaim>>);
}
