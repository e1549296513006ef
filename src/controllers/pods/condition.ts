// Lists of conditions, one of a type, as the statuses of workloads carry them.

interface Typed {
  readonly type: string;
}

export function findCondition<C extends Typed>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The list with `condition` in the place of one of its type, or at the end. */
export function withCondition<C extends Typed>(
  conditions: readonly C[] | undefined,
  condition: C,
): C[] {
  return [...withoutCondition(conditions, condition.type), condition];
}

export function withoutCondition<C extends Typed>(
  conditions: readonly C[] | undefined,
  type: string,
): C[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
