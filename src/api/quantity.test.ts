import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMillis,
  quantityUnits,
  roundUpToMillis,
  subtractQuantities,
} from "./quantity.ts";

// Pairs as kube-apiserver prints them.
describe("canonical form", () => {
  test.each([
    ["0", "0"],
    ["0m", "0"],
    ["0.0Gi", "0"],
    ["-0", "0"],
    ["1", "1"],
    ["100m", "100m"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["0.5", "500m"],
    ["0.1", "100m"],
    ["1.5", "1500m"],
    ["1000", "1k"],
    ["1500", "1500"],
    ["100000", "100k"],
    ["1000000", "1M"],
    ["1024", "1024"],
    ["128974848", "128974848"],
    ["1024Ki", "1Mi"],
    ["1024Mi", "1Gi"],
    ["2048Mi", "2Gi"],
    ["1500Mi", "1500Mi"],
    ["8Gi", "8Gi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Gi", "512Mi"],
    ["0.5Ki", "512"],
    ["0.1Mi", "104857600m"],
    ["0.5Mi", "512Ki"],
    ["1Ei", "1Ei"],
    ["10Ei", "9223372036854775807"],
    ["-1024Mi", "-1Gi"],
    ["1e3", "1e3"],
    ["1E3", "1E3"],
    ["1e2", "100"],
    ["12e6", "12e6"],
    ["1e-3", "1e-3"],
    ["100e-2", "1"],
    ["1n", "1n"],
    ["0.1n", "1n"],
    ["0.0000000001", "1n"],
    ["1.0000000001", "1000000001n"],
    ["-0.1n", "-1n"],
    ["1u", "1u"],
    ["1000u", "1m"],
    ["1.", "1."],
    [".5", "500m"],
    ["1E", "1E"],
    ["1000P", "1E"],
    ["005", "005"],
    ["+5", "+5"],
    ["1.500", "1.500"],
    ["0.500", "500m"],
    ["Mi", "0"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
  ])("%s -> %s", (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });
});

describe("refused", () => {
  const format =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const suffix = "unable to parse quantity's suffix";
  test.each([
    ["", format],
    ["abc", format],
    ["1 Gi", format],
    ["1.2.3", format],
    ["--1", suffix],
    ["1x", format],
    ["1m5x", format],
    ["1K", suffix],
    ["1mi", suffix],
    ["1MiB", format],
    ["1ki", suffix],
    ["1Mi5", suffix],
    ["1e", suffix],
    ["1e999999999", suffix],
    ["1+5", suffix],
    ["1".repeat(3_000_000), format],
  ])("%j", (text, message) => {
    expect(() => canonicalQuantity(text)).toThrow(message);
  });
});

const powers = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 } as const;
const binary = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n } as const;

/** An exact fraction of the text's value, by plain rational arithmetic. */
function rational(sign: string, whole: string, fraction: string, suffix: string) {
  let numerator = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  let denominator = 10n ** BigInt(fraction.length);
  if (suffix in binary) numerator *= 2n ** binary[suffix as keyof typeof binary];
  else {
    const power = suffix.startsWith("e")
      ? Number(suffix.slice(1))
      : powers[suffix as keyof typeof powers];
    if (power >= 0) numerator *= 10n ** BigInt(power);
    else denominator *= 10n ** BigInt(-power);
  }
  return { numerator, denominator };
}

const digits = (min: number, max: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
    .map((list) => list.join(""));
const suffixes = fc.oneof(
  fc.constantFrom(...Object.keys(powers), ...Object.keys(binary)),
  fc.integer({ min: -12, max: 24 }).map((power) => `e${power}`),
);
const parts = fc.tuple(fc.constantFrom("", "-"), digits(1, 8), digits(0, 6), suffixes);

describe("against exact rational arithmetic", () => {
  test("a value is exact to the nano, rounded away from zero", () => {
    fc.assert(
      fc.property(parts, ([sign, whole, fraction, suffix]) => {
        const { nanos } = parseQuantity(
          `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}${suffix}`,
        );
        const { numerator, denominator } = rational(sign, whole, fraction, suffix);
        const max = (2n ** 63n - 1n) * 10n ** 9n;
        const size = numerator < 0n ? -numerator : numerator;
        const exact = (size * 10n ** 9n + denominator - 1n) / denominator;
        const capped = suffix in binary && exact > max ? max : exact;
        expect(nanos < 0n ? -nanos : nanos).toBe(capped);
        expect(nanos === 0n || nanos < 0n === (sign === "-")).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("the canonical text has the same value and is a fixed point", () => {
    fc.assert(
      fc.property(parts, ([sign, whole, fraction, suffix]) => {
        const text = `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}${suffix}`;
        const canonical = canonicalQuantity(text);
        expect(parseQuantity(canonical).nanos).toBe(parseQuantity(text).nanos);
        expect(canonicalQuantity(canonical)).toBe(canonical);
        const printed = formatQuantity(parseQuantity(text));
        expect(parseQuantity(printed).nanos).toBe(parseQuantity(text).nanos);
      }),
      { numRuns: 1_000 },
    );
  });

  test("sums and differences", () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const [left, right] = [a, b].map(([sign, whole, fraction, suffix]) =>
          parseQuantity(`${sign}${whole}${fraction === "" ? "" : `.${fraction}`}${suffix}`),
        ) as [ReturnType<typeof parseQuantity>, ReturnType<typeof parseQuantity>];
        expect(subtractQuantities(addQuantities(left, right), right).nanos).toBe(left.nanos);
        expect(Math.sign(compareQuantities(left, right))).toBe(
          Number(left.nanos > right.nanos) - Number(left.nanos < right.nanos),
        );
      }),
    );
  });
});

test.each([
  ["1Gi", "512Mi", "1536Mi", "512Mi"],
  ["500m", "0.5", "1", "0"],
  ["0", "1Gi", "1Gi", "-1Gi"],
])("%s and %s: sum %s, difference %s", (a, b, sum, difference) => {
  expect(formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)))).toBe(sum);
  expect(formatQuantity(subtractQuantities(parseQuantity(a), parseQuantity(b)))).toBe(difference);
});

test("whole units and thousandths round away from zero", () => {
  expect(quantityUnits(parseQuantity("1500m"))).toBe(2n);
  expect(quantityUnits(parseQuantity("-1500m"))).toBe(-2n);
  expect(quantityMillis(parseQuantity("1u"))).toBe(1n);
  expect(formatQuantity(roundUpToMillis(parseQuantity("1100u")))).toBe("2m");
});
