// Comparing quantities given as text, exactly. Reading is lenient: the decoder has already refused what is no quantity.

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3})|([A-Za-z]*))$/;
const decimalExponents: Readonly<Record<string, number>> = {
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
const binaryPowers: Readonly<Record<string, bigint>> = {
  Ki: 10n,
  Mi: 20n,
  Gi: 30n,
  Ti: 40n,
  Pi: 50n,
  Ei: 60n,
};
/** Scale of the whole numbers that quantities are compared as: nano. */
const scaleDigits = 9;

/** Negative when `a` is less, 0 when equal. Text that is no quantity counts as 0. */
export function compareQuantities(a: string, b: string): number {
  if (a === b) return 0;
  const difference = nano(a) - nano(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function isWholeQuantity(text: string): boolean {
  return nano(text) % 10n ** BigInt(scaleDigits) === 0n;
}

function nano(text: string): bigint {
  const match = pattern.exec(text);
  if (match === null) return 0n;
  const [, sign, whole = "", fraction = "", exponent, suffix = ""] = match;
  const digits = BigInt(`${whole}${fraction}` || "0");
  const binary = binaryPowers[suffix];
  const power =
    scaleDigits -
    fraction.length +
    (exponent === undefined ? (decimalExponents[suffix] ?? 0) : Number(exponent));
  const scaled = binary === undefined ? digits : digits << binary;
  const value = power >= 0 ? scaled * 10n ** BigInt(power) : scaled / 10n ** BigInt(-power);
  return sign === "-" ? -value : value;
}
