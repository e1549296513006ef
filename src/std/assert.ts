// Broken invariants end here: an InvariantError is a bug in Wavetank, never a client's fault.
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new InvariantError(why);
}
