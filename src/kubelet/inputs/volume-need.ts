// What the volumes of a pod are made of: the objects that must be read before they can be mounted, and the kubelet's
// words when one is not there (upstream: volume/secret, volume/configmap, volume/projected). Pure.
import type { KeyToPath, Pod, Volume } from "../../api/types/core-v1.ts";
import type { ObjectKind, Reading } from "../objects/object-source.ts";

export interface SourceNeed {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly optional: boolean;
  /** Keys that are mounted one by one; none: all there are. */
  readonly keys: readonly string[];
}

export interface VolumeNeed {
  readonly volume: string;
  /** Never empty. */
  readonly sources: readonly SourceNeed[];
}

/** Volumes that need nothing are not told of: they are always there. */
export function volumeNeedsOf({ spec }: Pod): VolumeNeed[] {
  return (spec?.volumes ?? []).flatMap((volume) => {
    const sources = sourcesOf(volume);
    return sources.length === 0 ? [] : [{ volume: volume.name, sources }];
  });
}

function sourcesOf({ secret, configMap, projected }: Volume): SourceNeed[] {
  if (secret !== undefined) return sourceNeed("secret", { ...secret, name: secret.secretName });
  if (configMap !== undefined) return sourceNeed("configmap", configMap);
  return (projected?.sources ?? []).flatMap((source) =>
    source.secret === undefined
      ? sourceNeed("configmap", source.configMap)
      : sourceNeed("secret", source.secret),
  );
}

interface NamedSource {
  readonly name?: string | undefined;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

function sourceNeed(kind: ObjectKind, source: NamedSource | undefined): SourceNeed[] {
  const { name = "", items = [], optional = false } = source ?? {};
  return name === "" ? [] : [{ kind, name, optional, keys: items.map(({ key }) => key) }];
}

/** Undefined: the volume can be mounted. `readings` in the order of the sources. */
export function mountFailure(need: VolumeNeed, readings: readonly Reading[]): string | undefined {
  const why = need.sources.flatMap(
    (source, index) => sourceFailure(source, readings[index]!) ?? [],
  );
  // As Go prints several errors: each once.
  const errors = [...new Set(why)];
  return errors.length > 1 ? `[${errors.join(", ")}]` : errors[0];
}

function sourceFailure(source: SourceNeed, reading: Reading): string | undefined {
  const { kind, optional, keys } = source;
  if (reading.is === "missing") return optional ? undefined : reading.why;
  if (reading.is === "failed") return reading.why;
  if (optional) return undefined;
  const absent = keys.find((key) => !reading.object.keys.includes(key));
  if (absent === undefined) return undefined;
  return kind === "secret"
    ? `references non-existent secret key: ${absent}`
    : `configmap references non-existent config key: ${absent}`;
}
