// Prices from bills: given what mixtures of a few things cost together, what each of them costs. Least squares by the
// normal equations, which is enough for a handful of unknowns; no price is negative.

export interface Bill {
  /** Of each thing, in the order of the prices. */
  readonly amounts: readonly number[];
  readonly total: number;
}

/** Errors count relative to each bill's total, so that small bills are as good as large ones. */
export function pricesOf(bills: readonly Bill[]): number[] {
  const things = bills[0]?.amounts.length ?? 0;
  const rows = bills
    .filter(({ total }) => total > 0)
    .map(({ amounts, total }) => amounts.map((amount) => amount / total));
  let chosen = Array.from({ length: things }, (_, thing) => thing).filter((thing) =>
    rows.some((row) => row[thing] !== 0),
  );
  for (;;) {
    const prices = solve(normalEquations(rows, chosen));
    const worst = prices.indexOf(Math.min(...prices));
    if (prices.length === 0 || prices[worst]! >= 0) return spread(prices, chosen, things);
    // What would be paid for taking it costs nothing.
    chosen = chosen.filter((_, at) => at !== worst);
  }
}

/** One row a thing: coefficients, then the right side. Every bill is 1. */
function normalEquations(rows: readonly number[][], chosen: readonly number[]): number[][] {
  return chosen.map((one) => [
    ...chosen.map((other) => sum(rows.map((row) => row[one]! * row[other]!))),
    sum(rows.map((row) => row[one]!)),
  ]);
}

/** Gauss with pivots; changes `matrix`. A thing that cannot be told from others costs nothing. */
function solve(matrix: number[][]): number[] {
  const size = matrix.length;
  for (let column = 0; column < size; column++) {
    const candidates = matrix.slice(column).map((row) => Math.abs(row[column]!));
    const pivot = column + candidates.indexOf(Math.max(...candidates));
    [matrix[column], matrix[pivot]] = [matrix[pivot]!, matrix[column]!];
    const head = matrix[column]![column]!;
    if (head === 0) continue;
    for (let other = 0; other < size; other++) {
      const factor = other === column ? 0 : matrix[other]![column]! / head;
      if (factor !== 0)
        matrix[other] = matrix[other]!.map((value, at) => value - factor * matrix[column]![at]!);
    }
  }
  return matrix.map((row, at) => (row[at] === 0 ? 0 : row[size]! / row[at]!));
}

function spread(prices: readonly number[], chosen: readonly number[], things: number): number[] {
  const all = Array.from({ length: things }, () => 0);
  for (const [at, thing] of chosen.entries()) all[thing] = prices[at]!;
  return all;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
