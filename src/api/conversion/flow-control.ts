// flowcontrol.apiserver.k8s.io v1beta1 to v1beta3 <-> v1 (stored). Until v1beta2 shares were called assured; until v1beta3
// zero shares meant none given, and a v1 object that has zero says so in an annotation (upstream:
// pkg/apis/flowcontrol/v1beta*/conversion.go).
import type { KubeObject } from "../object.ts";

const storedVersion = "flowcontrol.apiserver.k8s.io/v1";
const preserveZeroAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

type Spec = Readonly<Record<string, unknown>> & { readonly limited?: Limited };
type Limited = Readonly<Record<string, unknown>>;

const shares = "nominalConcurrencyShares";
const assured = "assuredConcurrencyShares";

export function flowSchemaToStorage(object: KubeObject): KubeObject {
  return { ...object, apiVersion: storedVersion };
}

export function flowSchemaFrom(version: string): (object: Readonly<KubeObject>) => KubeObject {
  return (object) => ({ ...object, apiVersion: `flowcontrol.apiserver.k8s.io/${version}` });
}

export function priorityLevelToStorage(object: KubeObject): KubeObject {
  const { [preserveZeroAnnotation]: zero, ...annotations } = object.metadata.annotations ?? {};
  const { metadata: given } = object;
  const metadata = zero === undefined ? given : { ...given, annotations };
  const stored = { ...object, apiVersion: storedVersion, metadata };
  const { limited, spec } = limitedOf(object);
  if (limited === undefined) return stored;
  const { [assured]: old, [shares]: said = old, ...rest } = limited;
  const meant = said === 0 && zero === undefined ? undefined : said;
  const renamed = meant === undefined ? rest : { [shares]: meant, ...rest };
  return { ...stored, spec: { ...spec, limited: renamed } };
}

export function priorityLevelFrom(version: string): (object: Readonly<KubeObject>) => KubeObject {
  return (object) => {
    const served = { ...object, apiVersion: `flowcontrol.apiserver.k8s.io/${version}` };
    const { limited, spec } = limitedOf(object);
    if (limited === undefined) return served;
    const { [shares]: said = 0, ...rest } = limited;
    if (said === 0) {
      const annotations = { ...object.metadata.annotations, [preserveZeroAnnotation]: "" };
      served.metadata = { ...object.metadata, annotations };
    }
    const name = version === "v1beta3" ? shares : assured;
    return { ...served, spec: { ...spec, limited: { [name]: said, ...rest } } };
  };
}

function limitedOf(object: Readonly<KubeObject>): {
  readonly spec: Spec | undefined;
  readonly limited: Limited | undefined;
} {
  const spec = object["spec"] as Spec | undefined;
  return { spec, limited: spec?.limited };
}
