// An outcome as a rehearsal could have found it, for the tests of what is made of it.
import type { RehearsalOutcome, RunOutcome, Series } from "../outcome.ts";

const gibibyte = 1_073_741_824;

function memory(name: string, peakAt: number, peak: number): Series {
  const values = Array.from(
    { length: 60 },
    (_, at) => gibibyte * (1 + peak * Math.exp(-((at - peakAt) ** 2) / 20)),
  );
  return { chart: "Memory of etcd", name, unit: "bytes", stepMs: 5_000, values };
}

function run(guard: "off" | "on", peak: number): RunOutcome {
  return {
    guard,
    traceHash: guard === "off" ? "1a2b" : "3c4d",
    simulatedMs: 300_000,
    timeline: [
      { atMs: 60_000, what: "all API servers restart", kind: "scripted" },
      { atMs: 61_500, what: "etcd/master-2 is <killed>: out of memory", kind: "followed" },
    ],
    culprits: [
      {
        client: "system:serviceaccount:logging:vector",
        does: "LIST pods by spec.nodeName, newest state",
        requests: 4_800,
        share: 0.97,
        objectsScanned: 34_224_000,
        objectsReturned: 427_200,
        bytes: 797_000_000,
        findings: ["quorum LIST that a cache could answer"],
      },
    ],
    checks: [
      {
        name: "peak memory of etcd",
        expected: "at least 2.5 times its base",
        seen: `${1 + peak} times`,
        passed: guard === "on" || peak > 1.5,
        source: "seed: almost threefold",
      },
    ],
    warnings: [],
    series: [memory("master-1", 14, peak), memory("master-2", 16, peak * 0.8)],
    figures: { etcdPeakRatio: 1 + peak },
  };
}

export const sampleOutcome: RehearsalOutcome = {
  scenario: { name: "sample", title: "A sample storm", summary: "Eighty collectors list at once." },
  seed: 1,
  profile: "1.22",
  runs: [run("off", 2), run("on", 0.2)],
  verdict: { asExpected: true, sentence: "vector brought etcd down; the guard held." },
  command: "wavetank rehearse sample --seed 1",
  guard: "kind: FlowSchema\n",
  coefficients: [{ name: "etcd.rangeBase", value: 0.2, unit: "ms", source: "estimate" }],
};
