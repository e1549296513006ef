// Quantities: `100m`, `1.5Gi`, `1e3`. Exact: a value is a whole number of nanos (upstream rounds anything smaller up, away
// from zero) in the notation it was written in. Upstream: apimachinery/pkg/api/resource/quantity.go.

type QuantityFormat = "BinarySI" | "DecimalSI" | "DecimalExponent";

export interface Quantity {
  /** The value times 10^9. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const shape = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const wrongFormat =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes: Readonly<Record<string, number>> = {
  Ki: 10,
  Mi: 20,
  Gi: 30,
  Ti: 40,
  Pi: 50,
  Ei: 60,
};
const decimalNames = new Map(Object.entries(decimalSuffixes).map(([name, power]) => [power, name]));
const binaryNames = ["", ...Object.keys(binarySuffixes)];

const one = 1_000_000_000n;
/** Binary quantities are capped here, as upstream. */
const binaryMax = (2n ** 63n - 1n) * one;
/** Nobody means more; keeps `1e999999999` from filling the memory. */
const exponentMax = 1_000;
/** Likewise; reading a million digits takes a second. */
const textMax = 1_000;
/** Numbers with no more digits than this can be written back as they came, when they are canonical. */
const plainDigitsMax = 18;

interface Parts {
  readonly negative: boolean;
  /** Without leading zeros; "0" for none. */
  readonly whole: string;
  readonly fraction: string;
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** Throws QuantityError with upstream's text. */
export function parseQuantity(text: string): Quantity {
  return valueOf(split(text));
}

/** The text Go prints after reading `text`: `1000m` gives `1`. Throws QuantityError. */
export function canonicalQuantity(text: string): string {
  if (isPlain(text)) return text;
  if (text === "0") return text;
  const parts = split(text);
  return keepsText(parts) ? text : formatQuantity(valueOf(parts));
}

/** The canonical text: no more than three digits' worth of suffix steps, no fraction, largest suffix that stays exact. */
export function formatQuantity(quantity: Quantity): string {
  const { nanos } = quantity;
  if (nanos === 0n) return "0";
  const small = nanos > -1024n * one && nanos < 1024n * one;
  if (quantity.format === "BinarySI" && !small && nanos % one === 0n) return formatBinary(nanos);
  return formatDecimal(nanos, quantity.format === "DecimalExponent");
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The same of texts that the decoder has let through. */
export function compareQuantityTexts(a: string, b: string): number {
  return a === b ? 0 : compareQuantities(parseQuantity(a), parseQuantity(b));
}

/** False when there are thousandths. */
export function isWholeQuantity(text: string): boolean {
  return quantityMillis(parseQuantity(text)) % 1000n === 0n;
}

/** In the notation of `a`, or of `b` when `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** In the notation of `a`, or of `b` when `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** The value as a whole number of units, rounded up (away from zero), e.g. bytes. */
export function quantityUnits(quantity: Quantity): bigint {
  return roundUp(quantity.nanos, one);
}

/** The value in thousandths, rounded up (away from zero), e.g. milli-CPUs. */
export function quantityMillis(quantity: Quantity): bigint {
  return roundUp(quantity.nanos, 1_000_000n);
}

/** Rounds up to thousandths, as the defaults of resource lists do. */
export function roundUpToMillis(quantity: Quantity): Quantity {
  return { nanos: quantityMillis(quantity) * 1_000_000n, format: quantity.format };
}

function split(text: string): Parts {
  const match = text === "" || text.length > textMax ? null : shape.exec(text);
  if (match === null) throw new QuantityError(wrongFormat);
  const [, sign = "", digits = "", fraction = "", suffix = ""] = match;
  const whole = digits.replace(/^0+/, "");
  return {
    negative: sign === "-",
    whole: whole === "" ? "0" : whole,
    fraction,
    ...readSuffix(suffix),
  };
}

function readSuffix(suffix: string): Pick<Parts, "base" | "exponent" | "format"> {
  const binary = Object.hasOwn(binarySuffixes, suffix) ? binarySuffixes[suffix] : undefined;
  if (binary !== undefined) return { base: 2, exponent: binary, format: "BinarySI" };
  const decimal = Object.hasOwn(decimalSuffixes, suffix) ? decimalSuffixes[suffix] : undefined;
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: "DecimalSI" };
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (exponent === undefined || Math.abs(Number(exponent)) > exponentMax)
    throw new QuantityError(wrongSuffix);
  return { base: 10, exponent: Number(exponent), format: "DecimalExponent" };
}

function valueOf(parts: Parts): Quantity {
  const digits = BigInt(parts.whole + parts.fraction);
  let nanos: bigint;
  if (parts.base === 2)
    nanos = divideUp(digits * one * (1n << BigInt(parts.exponent)), parts.fraction.length);
  else nanos = shift(digits, 9 + parts.exponent - parts.fraction.length);
  let { format } = parts;
  if (format === "BinarySI") {
    if (nanos > binaryMax) nanos = binaryMax;
    if (nanos > 0n && nanos < one) format = "DecimalSI";
  }
  return { nanos: parts.negative ? -nanos : nanos, format };
}

/** `digits` times ten to the `power`, rounded up. */
function shift(digits: bigint, power: number): bigint {
  return power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, -power);
}

function divideUp(value: bigint, power: number): bigint {
  return roundUp(value, 10n ** BigInt(power));
}

function roundUp(value: bigint, unit: bigint): bigint {
  const whole = value / unit;
  if (whole * unit === value) return whole;
  return value < 0n ? whole - 1n : whole + 1n;
}

function formatBinary(nanos: bigint): string {
  let value = nanos / one;
  let power = 0;
  while (value % 1024n === 0n && power < binaryNames.length - 1) {
    value /= 1024n;
    power++;
  }
  return `${value}${binaryNames[power]}`;
}

function formatDecimal(nanos: bigint, exponential: boolean): string {
  let value = nanos;
  let power = -9;
  const powerMax = exponential ? Number.POSITIVE_INFINITY : 18;
  while (value % 1000n === 0n && power < powerMax) {
    value /= 1000n;
    power += 3;
  }
  if (!exponential) return `${value}${decimalNames.get(power)}`;
  return power === 0 ? value.toString() : `${value}e${power}`;
}

/** Upstream writes a number back as it came when a quick look says it is canonical; `1.500` and `+5` pass that look. */
function keepsText(parts: Parts): boolean {
  const digits = parts.whole + parts.fraction;
  if (parts.format === "BinarySI") {
    if (parts.fraction !== "" || digits.length + parts.exponent * 0.3 + 1 > 15) return false;
    return (Number(parts.whole) & 7) !== 0;
  }
  const scale = parts.exponent - parts.fraction.length;
  if (digits.length > plainDigitsMax || scale < -9 || scale % 3 !== 0) return false;
  return !digits.endsWith("000") && !digits.startsWith("0");
}

/** The common case without regular expressions: `250m`, `64Mi`, `2`, up to nine digits. */
function isPlain(text: string): boolean {
  let value = 0;
  let at = 0;
  for (; at < text.length && at < 9; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (at === 0 || text.charCodeAt(0) === 0x30) return false;
  const left = text.length - at;
  if (left === 0) return value % 1000 !== 0;
  const suffix = text.charAt(at);
  if (left === 1) return value % 1000 !== 0 && "numkMGTP".includes(suffix);
  return (
    left === 2 && text.charAt(at + 1) === "i" && value % 1024 !== 0 && "KMGTP".includes(suffix)
  );
}
