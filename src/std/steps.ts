// A value that changes at certain points of a line and holds in between, as a table: what a flag's default was from which
// version on.

/** In ascending order; each value holds from its point up to the next one. */
export type Steps<T> = readonly [
  first: readonly [from: number, value: T],
  ...rest: readonly (readonly [from: number, value: T])[],
];

/** Before the first step its value holds, too: nothing older is known. */
export function stepAt<T>(steps: Steps<T>, at: number): T {
  const [first, ...rest] = steps;
  return (rest.findLast(([from]) => from <= at) ?? first)[1];
}
