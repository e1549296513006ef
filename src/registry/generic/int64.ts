// int64 fields are typed as numbers, but one that a double cannot hold arrives as bigint (std/json.ts).

/** For arithmetic that need not be exact beyond 2^53; absent counts as 0. */
export function toNumber(value: number | bigint | null | undefined): number {
  return Number(value ?? 0);
}
