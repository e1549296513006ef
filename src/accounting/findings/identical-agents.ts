// The same program on many machines, asking the same at the same moment: a DaemonSet after a rollout or a restart.
import { type Verdict, many } from "./finding.ts";
import { type Pattern, isNode } from "./pattern.ts";

const agentsMin = 10;
/** Of a second's requests, when all come through one address (a proxy, a test). */
const atOnceMin = 40;

export function identicalAgents(pattern: Pattern): Verdict | undefined {
  const { client, shape, counts, sources, peakPerSecond } = pattern;
  if (shape.verb !== "list" && shape.verb !== "watch") return undefined;
  // A node's user is one kubelet.
  if (isNode(client.user)) return undefined;
  const enough = sources.length >= agentsMin ? agentsMin : atOnceMin;
  if (peakPerSecond < enough || counts.requests < enough) return undefined;
  const from =
    sources.length >= agentsMin
      ? `${many(sources.length)} addresses`
      : "clients behind one address";
  return {
    id: "identical-agents",
    howMuch: `up to ${many(peakPerSecond)} at once from ${from}, ${many(counts.requests)} in all`,
    change:
      "spread their start (a random delay, maxUnavailable of the rollout), and let each ask for its own part only (spec.nodeName)",
  };
}
