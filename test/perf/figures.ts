// One measured figure and the table of them.
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The bound that issue 2 set, for the reader; nothing asserts it. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
}

export type Report = (figure: Figure) => void;

export function printTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    `${format(figure.value)} ${figure.unit}`,
    goalText(figure),
    verdict(figure),
  ]);
  const head = ["figure", "measured", "goal", ""];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return lines.join("\n");
}

function format(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}

function goalText({ goal, unit }: Figure): string {
  if (goal === undefined) return "";
  return "atMost" in goal ? `<= ${goal.atMost} ${unit}` : `>= ${goal.atLeast} ${unit}`;
}

function verdict({ goal, value }: Figure): string {
  if (goal === undefined) return "";
  const kept = "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
  return kept ? "kept" : "missed";
}
