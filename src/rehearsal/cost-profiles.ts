// The coefficients by server. Kubernetes' are derived from the seeds' figures and KEPs; Wavetank's own are measured.
import type {
  ApiServerCosts,
  Coefficient,
  ControllerCosts,
  CostChanges,
  CostProfile,
  EtcdCosts,
} from "./cost-profile.ts";
import measured from "./wavetank-costs.json" with { type: "json" };

const listStorm = "seed daemonset-list-storm: 7,130 pods, 13,313,287 B, etcd 130.768 ms";

const etcd35: EtcdCosts = {
  rangeBase: { value: 0.2, unit: "ms", source: "estimate: a point read from memory" },
  rangePerMegabyte: { value: 9.82, unit: "ms/MB", source: `${listStorm}: 130.8 / 13.3` },
  rangeCopies: {
    value: 4,
    unit: "x answer",
    source: "unmarshalled values and the gRPC buffer are 2x live, garbage doubles it",
  },
  commitCpu: { value: 0.15, unit: "ms", source: "estimate: raft and bbolt work of a small put" },
  commitWait: { value: 4, unit: "ms", source: "estimate: one fsync of an SSD, amortised" },
  eventCpu: { value: 0.01, unit: "ms", source: "estimate" },
  residentPerMegabyte: {
    value: 3,
    unit: "x data",
    source: "estimate: mapped pages, index, history",
  },
};

const kubeApiServer: ApiServerCosts = {
  requestCpu: { value: 0.5, unit: "ms", source: "estimate: small GET of kube-apiserver" },
  writeCpu: { value: 0, unit: "ms", source: "not known: a write counts as any request" },
  decodePerMegabyte: {
    value: 6.7,
    unit: "ms/MB",
    source: "seed: 337 ms by etcd, 117 ms by cache; (220 - 131) ms / 13.3 MB",
  },
  decodeCopies: { value: 5, unit: "x answer", source: "KEP-3157: about 5x the etcd response" },
  scanPerObject: { value: 0.001, unit: "ms", source: "estimate: a selector on a decoded object" },
  returnPerObject: { value: 0, unit: "ms", source: "not known: in encodePerMegabyte" },
  encodePerMegabyte: { value: 8.8, unit: "ms/MB", source: "seed: 117 ms by cache / 13.3 MB" },
  encodeCopies: { value: 2, unit: "x answer", source: "estimate: encoder's buffer and HTTP/2's" },
  eventCpu: { value: 0.02, unit: "ms", source: "estimate: encode and frame one watch event" },
  watchBytes: { value: 60_000, unit: "B", source: "estimate: goroutines and buffers of a watch" },
  cacheCopies: { value: 4, unit: "x data", source: "estimate: decoded objects against protobuf" },
};

const kubeControllers: ControllerCosts = {
  scanPerObject: { value: 0.002, unit: "ms", source: "estimate: list, match and claim one pod" },
};

/** kube-apiserver before streaming list encoding (1.33) with etcd 3.5. */
export const kubeCosts: CostProfile = {
  name: "kube",
  etcd: etcd35,
  apiServer: kubeApiServer,
  controllers: kubeControllers,
};

/** Since 1.33 lists are encoded item by item (KEP-5116), so that an answer is never whole in memory. */
const kubeStreaming: CostProfile = {
  ...kubeCosts,
  name: "kube since 1.33",
  apiServer: {
    ...kubeApiServer,
    encodeCopies: { value: 0.1, unit: "x answer", source: "KEP-5116: streamed; buffers of HTTP/2" },
  },
};

/**
 * This server, with etcd 3.5 underneath. `npm run calibrate` measured what the file says; what it cannot measure from
 * outside is here.
 */
const wavetankCosts: CostProfile = joined(
  {
    name: "wavetank",
    etcd: etcd35,
    apiServer: {
      ...kubeApiServer,
      decodeCopies: {
        value: 1,
        unit: "x answer",
        source: "read in pages of 500 keys, kept as bytes",
      },
    },
    controllers: kubeControllers,
  },
  measured.costs,
);

const streamingMinor = 33;

/** `profile`: `1.25`, or `wavetank`. `costs`: what a scenario or a file of costs says otherwise. */
export function costsFor(wanted: {
  readonly profile: string;
  readonly costs?: CostChanges;
}): CostProfile {
  return joined(costsOf(wanted.profile), wanted.costs ?? {});
}

function costsOf(profile: string): CostProfile {
  if (profile === "wavetank") return wavetankCosts;
  return Number(profile.split(".")[1]) >= streamingMinor ? kubeStreaming : kubeCosts;
}

function joined(base: CostProfile, { etcd, apiServer, controllers }: CostChanges): CostProfile {
  return {
    ...base,
    etcd: changed(base.etcd, etcd ?? {}),
    apiServer: changed(base.apiServer, apiServer ?? {}),
    controllers: changed(base.controllers, controllers ?? {}),
  };
}

/** Units stay. */
function changed<Part extends object>(part: Part, changes: object): Part {
  const entries = Object.entries(part) as [string, Coefficient][];
  const own = changes as Readonly<Record<string, Partial<Coefficient> | undefined>>;
  return Object.fromEntries(
    entries.map(([name, old]) => [name, { ...old, ...own[name], unit: old.unit }]),
  ) as Part;
}
