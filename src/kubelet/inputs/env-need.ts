// What the environment of a container is made of, and the kubelet's words when a part is not there (upstream:
// kubelet_pods.go makeEnvironmentVariables). Pure.
import type { Container } from "../../api/types/core-v1.ts";
import type { ObjectKind, Reading } from "../objects/object-source.ts";

export interface EnvNeed {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly optional: boolean;
  /** Undefined: whatever the object holds. */
  readonly key: string | undefined;
}

/** In the order in which they are looked up; the first that fails ends it. */
export function envNeedsOf({ env = [], envFrom = [] }: Container): EnvNeed[] {
  const all = envFrom.flatMap(({ configMapRef, secretRef }) => [
    ...need("configmap", configMapRef),
    ...need("secret", secretRef),
  ]);
  const single = env.flatMap(({ valueFrom }) => [
    ...need("configmap", valueFrom?.configMapKeyRef),
    ...need("secret", valueFrom?.secretKeyRef),
  ]);
  return [...all, ...single];
}

interface NamedRef {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

function need(kind: ObjectKind, ref: NamedRef | undefined): EnvNeed[] {
  const { name = "", key, optional = false } = ref ?? {};
  return name === "" ? [] : [{ kind, name, optional, key }];
}

/** Undefined: it is there, or may be absent. */
export function envFailure(
  { kind, name, optional, key }: EnvNeed,
  reading: Reading,
  namespace: string,
): string | undefined {
  if (reading.is === "missing") return optional ? undefined : reading.why;
  if (reading.is === "failed") return reading.why;
  if (optional || key === undefined || reading.object.keys.includes(key)) return undefined;
  const what = kind === "secret" ? "Secret" : "ConfigMap";
  return `couldn't find key ${key} in ${what} ${namespace}/${name}`;
}
