// Comparing quantities given as text, exactly. The decoder has already refused what is no quantity.
import { compareQuantities as compare, parseQuantity, quantityMillis } from "../quantity.ts";

/** Negative when `a` is less, 0 when equal. */
export function compareQuantities(a: string, b: string): number {
  return a === b ? 0 : compare(parseQuantity(a), parseQuantity(b));
}

export function isWholeQuantity(text: string): boolean {
  return quantityMillis(parseQuantity(text)) % 1000n === 0n;
}
