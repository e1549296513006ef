// What an unquoted YAML scalar means to go-yaml v2, whose rules Kubernetes' users know by heart.

const words = new Map<string, boolean | null>([
  ...spellings(["y", "yes", "true", "on"], true),
  ...spellings(["n", "no", "false", "off"], false),
  ...spellings(["null"], null),
  ["~", null],
  ["", null],
]);

const integer = /^[-+]?(?:0[bB][01]+|0[xX][0-9a-fA-F]+|0[oO][0-7]+|\d+)$/;
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;

/** A boolean, null, a number (bigint beyond 2^53), or the text itself. */
export function resolvePlainScalar(text: string): unknown {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const maybeNumber =
    (first >= 0x30 && first <= 0x39) || first === 0x2d || first === 0x2b || first === 0x2e;
  if (!maybeNumber) return text;
  const plain = text.replaceAll("_", "");
  return readInteger(plain) ?? (float.test(plain) ? Number(plain) : text);
}

/** Undefined when it is none, or does not fit 64 bits (then it is a float). */
function readInteger(text: string): number | bigint | undefined {
  if (!integer.test(text)) return undefined;
  const isNegative = text.startsWith("-");
  let digits = text.replace(/^[-+]/, "");
  if (/^0\d/.test(digits)) {
    // A leading zero means octal, as in file modes; 08 is no octal and thus a float.
    if (!/^[0-7]+$/.test(digits)) return undefined;
    digits = `0o${digits.slice(1)}`;
  }
  const size = BigInt(digits);
  const value = isNegative ? -size : size;
  if (value < int64Min || value > uint64Max) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** As YAML 1.1 has them: `yes`, `Yes`, `YES`. */
function spellings<T>(lower: readonly string[], value: T): [string, T][] {
  return lower.flatMap((word): [string, T][] => {
    const upper = word.toUpperCase();
    return [
      [word, value],
      [upper.slice(0, 1) + word.slice(1), value],
      [upper, value],
    ];
  });
}
