// The clock's `turn`: those who wait for a turn go on in the order they came, a slice of them in each turn of the loop.
import { inSlices } from "./in-slices.ts";

const giveTurn = inSlices();

/** Resolves in a later turn of the loop, after sockets had their chance. */
export function fairTurn(): Promise<void> {
  return new Promise((resolve) => giveTurn(resolve));
}
