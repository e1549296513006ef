// Requests with one thing changed in an object of every-kind.yaml, and what of an answer is the same on every server:
// recorded from a kube-apiserver by scripts/record-answers.ts, replayed against this one by answers.test.ts.
import type { EveryKind } from "./every-kind.ts";

export const answersFile: URL = new URL("manifests/answers-v1.36.1.json", import.meta.url);

/** 201 and 200 say nothing more; 422 lists its causes, every other refusal its message. */
export type Answer = readonly [status: number, ...said: string[]];

export interface Asking {
  /** `statefulsets.v1.apps create spec.serviceName=bad` */
  readonly label: string;
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly type: string;
  readonly body: unknown;
}

type Path = readonly (string | number)[];

const long = "x".repeat(300);
const createValues: Readonly<Record<string, unknown>> = {
  absent: undefined,
  empty: "",
  "-1": -1,
  bad: "Bad Value!",
  null: null,
  map: {},
  list: [],
  long,
  big: 99_999_999_999,
  true: true,
};
const patchValues: Readonly<Record<string, unknown>> = {
  null: null,
  bad: "other",
  7: 7,
  map: {},
  list: [],
};

/** Creates that store nothing, one for each value in each place of the object. */
export function* createsOf(kind: EveryKind): Generator<Asking> {
  const object = plain(kind.object) as Record<string, any>;
  for (const path of placesOf(object)) {
    const at = path.join(".");
    if (at === "metadata" || at === "metadata.namespace") continue;
    for (const [name, value] of Object.entries(createValues)) {
      const body = withValue(object, path, value);
      if (at !== "metadata.name") body["metadata"].name = "fuzz";
      yield {
        label: `${kind.title} create ${at}=${name}`,
        method: "POST",
        path: `${kind.collection}?dryRun=All&fieldValidation=Strict`,
        type: "application/json",
        body,
      };
    }
  }
}

/** Merge patches that store nothing, of an object that is there. */
export function* patchesOf(kind: EveryKind): Generator<Asking> {
  for (const path of placesOf(plain(kind.object))) {
    const at = path.join(".");
    if (path.some((step) => typeof step === "number")) continue;
    if (at === "metadata.namespace" || at === "metadata.name") continue;
    for (const [name, value] of Object.entries(patchValues)) {
      yield {
        label: `${kind.title} patch ${at}=${name}`,
        method: "PATCH",
        path: `${kind.path}?dryRun=All&fieldValidation=Strict`,
        type: "application/merge-patch+json",
        body: path.toReversed().reduce((inner: unknown, step) => ({ [step]: inner }), value),
      };
    }
  }
}

interface StatusBody {
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { field?: string; reason?: string; message?: string }[];
  };
}

/** Causes that are said twice count once. */
export function answerOf(status: number, body: StatusBody | undefined): Answer {
  if (status < 300) return [status];
  const causes = body?.details?.causes;
  const said = causes
    ? causes.map(({ field, reason, message }) => `${field} ${reason} ${message}`)
    : [body?.message ?? ""];
  return [status, ...new Set(said.map(shorten))];
}

function shorten(text: string): string {
  return text
    .replaceAll(long, "x*300")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID");
}

function* placesOf(value: unknown, path: Path = []): Generator<Path> {
  if (value === null || typeof value !== "object") {
    yield path;
    return;
  }
  if (path.length > 0) yield path;
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    if (path.length > 0 || (step !== "apiVersion" && step !== "kind")) {
      yield* placesOf(inner, [...path, step]);
    }
  }
}

function withValue(object: object, path: Path, value: unknown): Record<string, any> {
  const copy = structuredClone(object) as Record<string, any>;
  let parent: Record<Path[number], any> = copy;
  for (const step of path.slice(0, -1)) parent = parent[step];
  const last = path.at(-1)!;
  if (value !== undefined) parent[last] = value;
  else if (Array.isArray(parent)) parent.splice(last as number, 1);
  else delete parent[last];
  return copy;
}

/** Integers of the manifests are bigints where doubles do not hold them. */
export function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one) => (typeof one === "bigint" ? Number(one) : one)),
  );
}
