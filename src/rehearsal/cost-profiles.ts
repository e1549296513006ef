// The coefficients by server. Kubernetes' are derived from the seeds' figures and KEPs; Wavetank's own are measured.
import type { ApiServerCosts, ControllerCosts, CostProfile, EtcdCosts } from "./cost-profile.ts";

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

const bench = "docs/performance.md";

/** This server, with etcd 3.5 underneath. */
const wavetankCosts: CostProfile = {
  name: "wavetank",
  etcd: etcd35,
  apiServer: {
    requestCpu: {
      value: 0.08,
      unit: "ms",
      source: `${bench}: GET of a 2 to 6 KB object, 70 to 84 us`,
    },
    writeCpu: { value: 0, unit: "ms", source: "not measured" },
    decodePerMegabyte: {
      value: 10,
      unit: "ms/MB",
      source: `${bench}: start with 30,000 objects, about 1.5 s for 168 MiB`,
    },
    decodeCopies: {
      value: 1,
      unit: "x answer",
      source: "read in pages of 500 keys, kept as bytes",
    },
    scanPerObject: {
      value: 0.0003,
      unit: "ms",
      source: `${bench}: LIST by an unindexed label, 8.2 ms for 30,000`,
    },
    encodePerMegabyte: {
      value: 1.5,
      unit: "ms/MB",
      source: `${bench}: LIST of 168 MiB, 0.266 s of CPU`,
    },
    encodeCopies: {
      value: 0.03,
      unit: "x answer",
      source: `${bench}: ten LISTs of 168 MiB, 5.4 MiB`,
    },
    eventCpu: {
      value: 0.005,
      unit: "ms",
      source: "estimate: a frame made once, copied to a watcher",
    },
    watchBytes: { value: 15_000, unit: "B", source: "measured: 1,000 nodes with 20 watches each" },
    cacheCopies: { value: 1.8, unit: "x data", source: `${bench}: 310 MiB for 168 MiB of pods` },
  },
  controllers: kubeControllers,
};

const streamingMinor = 33;

/** By a scenario's profile: `1.25`, or `wavetank`. */
export function costsOf(profile: string): CostProfile {
  if (profile === "wavetank") return wavetankCosts;
  return Number(profile.split(".")[1]) >= streamingMinor ? kubeStreaming : kubeCosts;
}
