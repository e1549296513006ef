// Go's textual durations ("1m30s", "250ms") as `?timeout=` carries them (upstream: time.ParseDuration). Pure.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Milliseconds; undefined when the text is no duration. */
export function parseGoDuration(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.startsWith("-") || text.startsWith("+") ? text.slice(1) : text;
  if (body === "0") return 0;
  if (body === "") return undefined;
  part.lastIndex = 0;
  let total = 0;
  while (part.lastIndex < body.length) {
    const match = part.exec(body);
    if (match === null) return undefined;
    total += Number(match[1]) * unitMs[match[2]!]!;
  }
  return sign * total;
}
