// Divides the server's seats among priority levels by what each could use: everyone gets the same proportion of its
// target, but no less than its lower and no more than its upper bound (upstream: conc_alloc.go). Pure.

export interface Claim {
  /** Not below `lower`. */
  readonly target: number;
  readonly lower: number;
  readonly upper: number;
}

export interface Allocation {
  /** In the order of the claims; they sum to what was asked. */
  readonly seats: readonly number[];
  /** The proportion that claims between their bounds got. */
  readonly proportion: number;
}

/** Targets below it count as this much, so that a level without demand has a share too. */
const targetMin = 0.001;
const epsilon = 0.0000001;

/** Undefined: the bounds leave no solution. */
export function allocate(sum: number, claims: readonly Claim[]): Allocation | undefined {
  const lower = total(claims, (claim) => claim.lower);
  const upper = total(claims, (claim) => claim.upper);
  if (sum < lower - epsilon || sum > upper + epsilon) return undefined;
  const seatsAt = (proportion: number): number[] =>
    claims.map((claim) => clamp(proportion * targetOf(claim), claim));
  // The total grows with the proportion, in straight pieces between the points where some claim meets a bound.
  const corners = claims.flatMap((claim) => [
    claim.lower / targetOf(claim),
    claim.upper / targetOf(claim),
  ]);
  let from = 0;
  for (const to of [...new Set(corners)].sort((a, b) => a - b)) {
    if (total(seatsAt(to), same) >= sum - epsilon) {
      const proportion = between(from, to, { claims, sum });
      return { seats: seatsAt(proportion), proportion };
    }
    from = to;
  }
  return { seats: seatsAt(from), proportion: from };
}

interface Piece {
  readonly claims: readonly Claim[];
  readonly sum: number;
}

/** Where on the straight piece from `from` to `to` the total is `sum`. */
function between(from: number, to: number, { claims, sum }: Piece): number {
  const at = (proportion: number): number =>
    total(claims, (claim) => clamp(proportion * targetOf(claim), claim));
  const low = at(from);
  const high = at(to);
  if (high - low < epsilon) return to;
  return from + ((to - from) * (sum - low)) / (high - low);
}

function clamp(seats: number, { lower, upper }: Claim): number {
  return Math.max(lower, Math.min(upper, seats));
}

function targetOf({ target }: Claim): number {
  return Math.max(targetMin, target);
}

function total<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

const same = (value: number): number => value;
