// One owner's account: how many of its pods wait to run, how many ended before they ever did, and how many of these it
// has replaced. A create after such an end is a replacement; a pod that is only pending, however long, counts nothing,
// and one pod that runs wipes the slate. Times are clock.monotonic ms.
import { type RunawayLaw, budgetOf, probeWaitMs, retryAfterSeconds } from "./law.ts";

export interface OwnerAccount {
  /** Pods that have not run yet and have not ended. */
  waiting: number;
  /** Pods that ended without having run, and no create came for them yet. */
  unreplaced: number;
  /** The recent past, oldest first, at most `slotsMax`. */
  slots: Slot[];
  /** Set from the first refusal until a pod runs or the owner was quiet for a window. */
  trip: Trip | undefined;
  /** The last pod that ended without having run, or the last replacement that was asked for. */
  activeAtMs: number;
  /** When its owner's Event was last written. */
  reportedAtMs: number | undefined;
}

interface Slot {
  readonly startMs: number;
  replaced: number;
  waitingMost: number;
}

interface Trip {
  readonly probes: number;
  /** No replacement before. */
  readonly untilMs: number;
}

export type Verdict =
  | { readonly kind: "Admitted" }
  | {
      readonly kind: "Refused";
      readonly retryAfterSeconds: number;
      /** Within the window. */
      readonly replaced: number;
      /** First refusal of this window: people should be told. */
      readonly isNews: boolean;
    };

/** The window's grain: what is counted leaves it in so many steps. */
const slotsMax = 12;

const admitted: Verdict = { kind: "Admitted" };

export function newAccount(nowMs: number): OwnerAccount {
  return {
    waiting: 0,
    unreplaced: 0,
    slots: [],
    trip: undefined,
    activeAtMs: nowMs,
    reportedAtMs: undefined,
  };
}

export function podWaits(account: OwnerAccount, nowMs: number, law: RunawayLaw): void {
  account.waiting += 1;
  const slot = currentSlot(account, nowMs, law);
  slot.waitingMost = Math.max(slot.waitingMost, account.waiting);
}

/** A pod that waited runs: whatever was wrong is over. */
export function podRan(account: OwnerAccount): void {
  account.waiting = Math.max(0, account.waiting - 1);
  startAnew(account);
}

/** A pod that waited is deleted, is being deleted, or failed before any container of it started. */
export function podEnded(account: OwnerAccount, nowMs: number, law: RunawayLaw): void {
  settle(account, nowMs, law);
  account.waiting = Math.max(0, account.waiting - 1);
  account.unreplaced += 1;
  account.activeAtMs = nowMs;
}

/** The owner asks for one more pod. An admitted replacement is counted. */
export function askCreate(account: OwnerAccount, nowMs: number, law: RunawayLaw): Verdict {
  settle(account, nowMs, law);
  if (account.unreplaced === 0) return admitted;
  account.activeAtMs = nowMs;
  const { trip } = account;
  if (trip === undefined) {
    if (replacedIn(account) < budgetIn(account, law)) return replace(account, nowMs, law);
    account.trip = { probes: 0, untilMs: nowMs + probeWaitMs(law, 0) };
    return refusal(account, account.trip, { nowMs, law });
  }
  if (nowMs < trip.untilMs) return refusal(account, trip, { nowMs, law });
  const probes = trip.probes + 1;
  account.trip = { probes, untilMs: nowMs + probeWaitMs(law, probes) };
  return replace(account, nowMs, law);
}

export function isRunaway(account: OwnerAccount, nowMs: number, law: RunawayLaw): boolean {
  return account.trip !== undefined && nowMs - account.activeAtMs < law.windowMs;
}

/** Nothing would be lost with it. */
export function isBlank(account: OwnerAccount, nowMs: number, law: RunawayLaw): boolean {
  settle(account, nowMs, law);
  const { waiting, unreplaced, trip, reportedAtMs } = account;
  const told = reportedAtMs !== undefined && nowMs - reportedAtMs < law.windowMs;
  return waiting === 0 && unreplaced === 0 && trip === undefined && !told && !replacedIn(account);
}

function replace(account: OwnerAccount, nowMs: number, law: RunawayLaw): Verdict {
  account.unreplaced -= 1;
  currentSlot(account, nowMs, law).replaced += 1;
  return admitted;
}

function refusal(
  account: OwnerAccount,
  trip: Trip,
  { nowMs, law }: { readonly nowMs: number; readonly law: RunawayLaw },
): Verdict {
  const { reportedAtMs } = account;
  const isNews = reportedAtMs === undefined || nowMs - reportedAtMs >= law.windowMs;
  if (isNews) account.reportedAtMs = nowMs;
  return {
    kind: "Refused",
    retryAfterSeconds: retryAfterSeconds(law, trip.untilMs - nowMs),
    replaced: replacedIn(account),
    isNews,
  };
}

/** Lets go of what is too old. */
function settle(account: OwnerAccount, nowMs: number, law: RunawayLaw): void {
  if (nowMs - account.activeAtMs >= law.windowMs) startAnew(account);
  account.slots = account.slots.filter(({ startMs }) => nowMs - startMs < law.windowMs);
}

function startAnew(account: OwnerAccount): void {
  account.unreplaced = 0;
  account.trip = undefined;
  account.slots = [];
}

function replacedIn({ slots }: OwnerAccount): number {
  return slots.reduce((sum, { replaced }) => sum + replaced, 0);
}

function budgetIn({ slots, waiting }: OwnerAccount, law: RunawayLaw): number {
  return budgetOf(
    law,
    slots.reduce((most, { waitingMost }) => Math.max(most, waitingMost), waiting),
  );
}

function currentSlot(account: OwnerAccount, nowMs: number, law: RunawayLaw): Slot {
  const last = account.slots.at(-1);
  if (last !== undefined && nowMs - last.startMs < law.windowMs / slotsMax) return last;
  const slot: Slot = { startMs: nowMs, replaced: 0, waitingMost: account.waiting };
  account.slots = [...account.slots.slice(1 - slotsMax), slot];
  return slot;
}
