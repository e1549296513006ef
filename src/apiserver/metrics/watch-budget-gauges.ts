// What the budget of watches has given away and refused, for /metrics.
import type { WatchBudget } from "../../flowcontrol/watch-budget.ts";
import type { GaugeSource } from "./metric-registry.ts";

export function watchBudgetGauges(budget: WatchBudget): readonly GaugeSource[] {
  return [
    {
      name: "wavetank_watches_open",
      help: "Watches that count against the limits.",
      labels: [],
      read: () => [[[], budget.open]],
    },
    {
      name: "wavetank_watches_refused_total",
      help: "Watches refused, by the limit that was reached.",
      type: "counter",
      labels: ["limit"],
      read: () => Object.entries(budget.refused).map(([limit, count]) => [[limit], count] as const),
    },
  ];
}
