// How many seats a request takes (upstream: flowcontrol/request/*_work_estimator.go). Pure: what it must know of the
// resource is handed in.
import type { ListOptions } from "../api/meta/list-options.ts";
import { type WorkEstimate, oneSeat } from "./arrival.ts";
import type { FlowControlProfile } from "./profile.ts";
import type { RequestDigest } from "./request-digest.ts";

const objectsPerSeat = 100;
const bytesPerSeat = 100_000;
/** A LIST from the cache is streamed: it never holds more. */
const streamedBytesMax = 1_000_000;
const watchersPerSeat = 10;
/** For which a seat's worth of watchers is taken to be busy with an event. */
const eventMs = 5;
const mutatingSeatsMax = 10;

/** Of one stored resource. */
export interface ResourceSize {
  readonly objects: number;
  /** Of all objects as they are served. */
  readonly bytes: number;
}

export interface WorkFacts {
  readonly profile: FlowControlProfile;
  /** Widest that the priority level allows; 0: it says nothing. */
  readonly levelSeatsMax: number;
  /** Undefined: nobody stores such a resource here. */
  size(digest: RequestDigest): ResourceSize | undefined;
  /** Of the objects that the cheapest index leaves to be looked at. */
  matchedSize(digest: RequestDigest, options: ListOptions): ResourceSize | undefined;
  /** Open watches that may see what the request writes. */
  watchers(digest: RequestDigest): number;
}

/** `options`: the query's, undefined when it makes no sense (the request is going to be refused). */
export function estimateWork(
  digest: RequestDigest,
  options: () => ListOptions | undefined,
  facts: WorkFacts,
): WorkEstimate {
  if (!digest.isResource) return oneSeat;
  switch (digest.verb) {
    case "list":
      return listWork(digest, options(), facts);
    case "watch":
      return facts.profile.watchStart === "AsList" ? watchWork(digest, options(), facts) : oneSeat;
    case "create":
    case "update":
    case "patch":
    case "delete":
      return facts.profile.watchFanOut ? mutatingWork(digest, facts) : oneSeat;
    default:
      return oneSeat;
  }
}

/** One that sends no initial state is as cheap as a GET. */
function watchWork(
  digest: RequestDigest,
  options: ListOptions | undefined,
  facts: WorkFacts,
): WorkEstimate {
  const { sendInitialEvents, resourceVersion = "" } = options ?? {};
  const fromState = resourceVersion === "" || resourceVersion === "0";
  if (options !== undefined && sendInitialEvents !== true && !fromState) return oneSeat;
  return listWork(digest, options, facts);
}

function listWork(
  digest: RequestDigest,
  options: ListOptions | undefined,
  facts: WorkFacts,
): WorkEstimate {
  const { profile } = facts;
  if (profile.listWork === "One") return oneSeat;
  const seatsMax = capOf(profile.listSeatsMax, facts);
  const size = facts.size(digest);
  if (options === undefined) return seats(seatsMax);
  if (size === undefined) return oneSeat;
  const wanted = wantedSeats(digest, options, { facts, size });
  return seats(Math.min(Math.max(1, wanted), seatsMax));
}

interface Sized {
  readonly facts: WorkFacts;
  readonly size: ResourceSize;
}

function wantedSeats(digest: RequestDigest, options: ListOptions, { facts, size }: Sized): number {
  const { profile } = facts;
  const fromCache = digest.verb === "watch" || isListFromCache(options, profile);
  const one = digest.name !== "";
  if (profile.listWork === "Count")
    return Math.ceil(
      objectsRead(options, { objects: size.objects, fromCache, one }) / objectsPerSeat,
    );
  if (profile.listWork === "Matched" && fromCache) {
    const matched = one ? undefined : facts.matchedSize(digest, options);
    if (matched !== undefined) return seatsOf(limited(options, matched), { fromCache });
  }
  const average = size.objects === 0 ? 0 : size.bytes / size.objects;
  const held = objectsHeld(options, { objects: size.objects, fromCache, one });
  return seatsOf(held * average, { fromCache });
}

function seatsOf(bytes: number, { fromCache }: { readonly fromCache: boolean }): number {
  return Math.ceil((fromCache ? Math.min(bytes, streamedBytesMax) : bytes) / bytesPerSeat);
}

/** Bytes of a page. */
function limited({ limit }: ListOptions, { objects, bytes }: ResourceSize): number {
  return limit > 0 && limit < objects ? (bytes * limit) / objects : bytes;
}

interface Reading {
  /** Stored in all. */
  readonly objects: number;
  readonly fromCache: boolean;
  /** Narrowed to one name. */
  readonly one: boolean;
}

/** Until 1.33: how many objects are read and decoded. */
function objectsRead(options: ListOptions, { objects, fromCache, one }: Reading): number {
  const limit = options.limit > 0 && options.limit < objects ? options.limit : objects;
  if (one) return 1;
  if (fromCache) return objects;
  return isFiltered(options) ? objects + limit : 2 * limit;
}

/** From 1.34: how many are in memory at once. */
function objectsHeld(options: ListOptions, { objects, fromCache, one }: Reading): number {
  const limit = options.limit > 0 && options.limit < objects ? options.limit : objects;
  if (one) return 1;
  if (fromCache || !isFiltered(options)) return limit;
  return Math.max(limit, Math.floor(objects / 2));
}

function isFiltered({ fieldSelector, labelSelector }: ListOptions): boolean {
  return fieldSelector !== "" || labelSelector !== "";
}

/** Upstream's shouldDelegateList, seen from the other side. Snapshots of the past are not counted on. */
function isListFromCache(options: ListOptions, profile: FlowControlProfile): boolean {
  const { resourceVersion, resourceVersionMatch, limit } = options;
  if (resourceVersionMatch === "NotOlderThan") return true;
  if (resourceVersionMatch !== "" || options.continue !== "") return false;
  if (resourceVersion === "") return profile.consistentListFromCache;
  return resourceVersion === "0" || limit === 0;
}

/** Watch events outlast the write: seats for them are held afterwards, not longer than it takes at the level's width. */
function mutatingWork(digest: RequestDigest, facts: WorkFacts): WorkEstimate {
  // Makes no event.
  if (digest.resource === "serviceaccounts" && digest.subresource === "token") return oneSeat;
  const watchers = facts.watchers(digest);
  if (watchers < watchersPerSeat) return oneSeat;
  const wanted = Math.ceil(watchers / watchersPerSeat);
  const finalSeats = Math.min(wanted, capOf(mutatingSeatsMax, facts));
  return { initialSeats: 1, finalSeats, additionalMs: (wanted * eventMs) / finalSeats };
}

function capOf(seatsMax: number, { profile, levelSeatsMax }: WorkFacts): number {
  return profile.seatsByLevel && levelSeatsMax > 0 ? Math.min(levelSeatsMax, seatsMax) : seatsMax;
}

function seats(initialSeats: number): WorkEstimate {
  return initialSeats === 1 ? oneSeat : { initialSeats, finalSeats: 0, additionalMs: 0 };
}
