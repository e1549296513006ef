// Which client a population's members are written with: how it makes calls, and by which law it follows the cluster.
import {
  type ReflectorProfile,
  type ReflectorProfileName,
  reflectorProfiles,
} from "../informer/reflector-profile.ts";

export interface ClientLibrary {
  readonly reflector: ReflectorProfile;
  /** Further tries of a call that was answered with Retry-After. */
  readonly retriesMax: number;
  /** The client gives a LIST up after so long; undefined: never. */
  readonly listTimeoutMs: number | undefined;
}

/** client-go obeys Retry-After ten times before the caller hears of a refusal; the others hand it on at once. */
const obeys: readonly ReflectorProfileName[] = [
  "client-go",
  "client-go 1.31",
  "client-go 1.18",
  "client-go 1.17",
  "client-go 1.16",
  "kubelet",
  "kubelet 1.30",
];
const clientGoRetries = 10;

export const clientLibraries: ReadonlyMap<string, ClientLibrary> = new Map(
  Object.entries(reflectorProfiles).map(([name, reflector]) => [
    name,
    {
      reflector,
      retriesMax: retriesOf(name as ReflectorProfileName),
      listTimeoutMs: name === "calico" ? 60_000 : undefined,
    },
  ]),
);

function retriesOf(name: ReflectorProfileName): number {
  // calico and Typha are client-go below.
  return obeys.includes(name) || name === "calico" ? clientGoRetries : 0;
}
