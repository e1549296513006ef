// From what PriorityLevelConfigurations say to seats: shares become limits, limits and demand become what each level may
// use now (upstream: apf_controller.go, finishQueueSetReconfigs and updateBorrowing). Pure.
import type { PriorityLevelConfigurationSpec } from "../api/types/flowcontrol-v1.ts";
import { type Claim, allocate } from "./concurrency-allocation.ts";

export interface SeatLimits {
  readonly nominal: number;
  /** Never less, however much others want. */
  readonly lower: number;
  /** Never more, however little others want. */
  readonly upper: number;
}

export function sharesOf({ limited, exempt }: PriorityLevelConfigurationSpec): number {
  return limited?.nominalConcurrencyShares ?? exempt?.nominalConcurrencyShares ?? 0;
}

export interface Server {
  /** Seats to divide. */
  readonly seats: number;
  /** Of all levels. */
  readonly shares: number;
}

/** Rounded up, so that together they may be a few more than the server's. */
export function limitsOf(spec: PriorityLevelConfigurationSpec, server: Server): SeatLimits {
  const shares = sharesOf(spec);
  const nominal = shares === 0 ? 0 : Math.ceil((server.seats * shares) / server.shares);
  const percentOf = (percent: number): number => Math.round((nominal * percent) / 100);
  const lendable = percentOf(spec.limited?.lendablePercent ?? spec.exempt?.lendablePercent ?? 0);
  const borrowing = spec.limited?.borrowingLimitPercent;
  const borrowable = borrowing === undefined ? server.seats : percentOf(borrowing);
  return { nominal, lower: nominal - lendable, upper: nominal + borrowable };
}

/** Widest request of a level, so that several of a flow's find room at once; 0: the level says nothing. */
export function seatsMaxOf({ limited }: PriorityLevelConfigurationSpec, nominal: number): number {
  const handSize = limited?.limitResponse?.queuing?.handSize;
  if (handSize === undefined) return 0;
  return Math.max(1, Math.min(Math.ceil(nominal * 0.15), Math.floor(nominal / handSize)));
}

export interface LevelDemand {
  readonly limits: SeatLimits;
  readonly isExempt: boolean;
  readonly highWatermark: number;
  readonly smoothed: number;
  readonly current: number;
}

export interface Adjustment {
  readonly current: number;
  readonly target: number;
}

export interface Adjustments {
  /** In the order of the levels. */
  readonly levels: readonly Adjustment[];
  /** The proportion of their targets that levels got; 0 when there was nothing to give. */
  readonly fairFraction: number;
}

/** Exempt levels take what they use; the others share the rest. */
export function adjust(levels: readonly LevelDemand[]): Adjustments {
  const nominalSum = sum(levels.map(({ limits }) => limits.nominal));
  const exempt = levels.filter(({ isExempt }) => isExempt);
  const limited = levels.filter(({ isExempt }) => !isExempt);
  const rest = nominalSum - sum(exempt.map(exemptSeats));
  const lowerSum = sum(limited.map(({ limits }) => limits.lower));
  const wantedSum = sum(limited.map(leastOf));
  const allocation =
    rest > lowerSum && rest > wantedSum ? allocateTo(limited, nominalSum) : undefined;
  const part = wantedSum > lowerSum ? (rest - lowerSum) / (wantedSum - lowerSum) : 0;
  const currentOf = (level: LevelDemand): number => {
    if (level.isExempt) return exemptSeats(level);
    const { lower } = level.limits;
    if (rest <= lowerSum) return lower;
    if (rest <= wantedSum) return lower + Math.round((leastOf(level) - lower) * part);
    return allocation?.seats.get(level) ?? level.current;
  };
  return {
    levels: levels.map((level) => ({ current: currentOf(level), target: targetOf(level) })),
    fairFraction: allocation?.proportion ?? 0,
  };
}

interface Allocated {
  readonly seats: ReadonlyMap<LevelDemand, number>;
  readonly proportion: number;
}

function allocateTo(limited: readonly LevelDemand[], seats: number): Allocated | undefined {
  const claims = limited.map((level): Claim => {
    return { target: targetOf(level), lower: leastOf(level), upper: level.limits.upper };
  });
  const allocation = allocate(seats, claims);
  if (allocation === undefined) return undefined;
  const rounded = limited.map((level, i) => [level, Math.round(allocation.seats[i]!)] as const);
  return { seats: new Map(rounded), proportion: allocation.proportion };
}

function exemptSeats({ limits, highWatermark }: LevelDemand): number {
  return Math.max(limits.lower, highWatermark);
}

/** What a level used lately is not taken from it, up to its nominal limit. */
function leastOf({ limits, highWatermark }: LevelDemand): number {
  return Math.max(limits.lower, Math.min(limits.nominal, highWatermark));
}

function targetOf(level: LevelDemand): number {
  return Math.max(leastOf(level), level.smoothed);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
