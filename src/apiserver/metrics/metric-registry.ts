// Counters, gauges and histograms with labels, printed as Prometheus text 0.0.4. Holds numbers, decides nothing; what
// is counted stands in request-metrics.ts.
import { BucketCounts } from "../../std/bucket-counts.ts";

/** A family whose values are read when the page is printed. */
export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly type?: "gauge" | "counter";
  readonly labels: readonly string[];
  /** Label values in the order of `labels`, and the number. */
  read(): Iterable<readonly [values: readonly string[], value: number]>;
}

/** As GaugeSource, of histograms that are kept elsewhere. */
export interface HistogramSource {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  read(): Iterable<readonly [values: readonly string[], histogram: BucketCounts]>;
}

export interface Counter {
  add(amount: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

interface Family {
  print(lines: string[]): void;
}

export class MetricRegistry {
  readonly #families: Family[] = [];

  counter(name: string, help: string, labels: readonly string[]): LabelledFamily<Counter> {
    return this.#add(new LabelledFamily({ name, help, type: "counter", labels }, newNumber));
  }

  gauge(name: string, help: string, labels: readonly string[]): LabelledFamily<Counter> {
    return this.#add(new LabelledFamily({ name, help, type: "gauge", labels }, newNumber));
  }

  /** `buckets` ascending; +Inf is added. */
  histogram(
    description: { readonly name: string; readonly help: string },
    labels: readonly string[],
    buckets: readonly number[],
  ): LabelledFamily<Histogram> {
    return this.#add(
      new LabelledFamily({ ...description, type: "histogram", labels }, () => newBuckets(buckets)),
    );
  }

  source(source: GaugeSource): void {
    this.#families.push({ print: (lines) => printSource(source, lines) });
  }

  histogramSource(source: HistogramSource): void {
    this.#families.push({ print: (lines) => printHistograms(source, lines) });
  }

  /** The page of `/metrics`. */
  text(): string {
    const lines: string[] = [];
    for (const family of this.#families) family.print(lines);
    lines.push("");
    return lines.join("\n");
  }

  #add<F extends Family>(family: F): F {
    this.#families.push(family);
    return family;
  }
}

interface Description {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
}

interface Printable {
  print(name: string, labels: string, lines: string[]): void;
}

export class LabelledFamily<Series> {
  readonly #about: Description;
  readonly #make: () => Series & Printable;
  readonly #series = new Map<string, Series & Printable>();

  constructor(about: Description, make: () => Series & Printable) {
    this.#about = about;
    this.#make = make;
  }

  /** One value a label, in order. Keep the result where the path is hot. */
  with(...values: readonly string[]): Series {
    const key = labelText(this.#about.labels, values);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const made = this.#make();
    this.#series.set(key, made);
    return made;
  }

  print(lines: string[]): void {
    printHead(this.#about, lines);
    for (const [labels, series] of this.#series) series.print(this.#about.name, labels, lines);
  }
}

function newNumber(): Counter & Printable {
  let value = 0;
  return {
    add: (amount) => {
      value += amount;
    },
    print: (name, labels, lines) => lines.push(sample(name, labels, value)),
  };
}

function newBuckets(bounds: readonly number[]): Histogram & Printable {
  const histogram = new BucketCounts(bounds);
  return {
    observe: (value) => histogram.observe(value),
    print: (name, labels, lines) => printBuckets({ name, labels }, histogram, lines),
  };
}

function printBuckets(
  { name, labels }: { readonly name: string; readonly labels: string },
  { bounds, counts, sum }: BucketCounts,
  lines: string[],
): void {
  let total = 0;
  for (let at = 0; at <= bounds.length; at++) {
    total += counts[at]!;
    const bound = `le="${at < bounds.length ? boundText(bounds[at]!) : "+Inf"}"`;
    lines.push(sample(`${name}_bucket`, labels === "" ? bound : `${labels},${bound}`, total));
  }
  lines.push(sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, total));
}

/** As Go prints a float, for labels are compared as text: from a million on with an exponent. */
function boundText(bound: number): string {
  if (bound < 1e6) return String(bound);
  return bound.toExponential().replace(/e\+(\d)$/, "e+0$1");
}

function printHistograms(source: HistogramSource, lines: string[]): void {
  printHead({ ...source, type: "histogram" }, lines);
  for (const [values, histogram] of source.read())
    printBuckets({ name: source.name, labels: labelText(source.labels, values) }, histogram, lines);
}

function printSource(source: GaugeSource, lines: string[]): void {
  printHead({ ...source, type: source.type ?? "gauge" }, lines);
  for (const [values, value] of source.read())
    lines.push(sample(source.name, labelText(source.labels, values), value));
}

function printHead(about: Description, lines: string[]): void {
  lines.push(`# HELP ${about.name} ${about.help}`, `# TYPE ${about.name} ${about.type}`);
}

function sample(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}

function labelText(names: readonly string[], values: readonly string[]): string {
  let text = "";
  for (let i = 0; i < names.length; i++) {
    if (i > 0) text += ",";
    text += `${names[i]!}="${escapeLabel(values[i] ?? "")}"`;
  }
  return text;
}

function escapeLabel(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
