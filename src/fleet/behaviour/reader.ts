// Members that only read: many LISTs at once, one every so often, or a small GET whose waiting is what matters.
import type { Call } from "../../client/api-caller.ts";
import { collectionPath, objectPath } from "../../client/resource-path.ts";
import { pause } from "../../client/waiting.ts";
import type { Member } from "../member.ts";
import type { BystanderBehaviour, ListerBehaviour, PollerBehaviour, Read } from "../population.ts";
import { addressOfName } from "../resource-address.ts";
import { type TemplateValues, fill } from "../template.ts";
import { selectionOf } from "./informer.ts";

export async function runLister(member: Member, behaviour: ListerBehaviour): Promise<void> {
  const { read, times, parallel } = behaviour;
  const call = readCall(read, member.values);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next++ < times) await member.attempt(call);
  };
  await Promise.all(Array.from({ length: Math.min(parallel, times) }, work));
}

export function runPoller(member: Member, behaviour: PollerBehaviour): Promise<void> {
  const { read, everySeconds, jitterSeconds } = behaviour;
  return poll(member, readCall(read, member.values), { everySeconds, jitterSeconds });
}

export function runBystander(member: Member, behaviour: BystanderBehaviour): Promise<void> {
  const { read, everySeconds } = behaviour;
  return poll(member, readCall(read, member.values), { everySeconds, jitterSeconds: 0 });
}

/** The fastest a loop of reads turns, so that simulated time goes on. */
const pollMsMin = 1;

/** A read that takes longer than the period delays the next; none are skipped and none overlap. */
async function poll(
  member: Member,
  call: Call,
  period: { readonly everySeconds: number; readonly jitterSeconds: number },
): Promise<void> {
  const { clock, random } = member.host;
  const chance = random.stream("poll");
  while (!member.signal.aborted) {
    const startedAt = clock.monotonic();
    await member.attempt(call);
    const periodMs = (period.everySeconds + period.jitterSeconds * chance.unit()) * 1_000;
    const left = periodMs - (clock.monotonic() - startedAt);
    await pause(clock, Math.max(pollMsMin, left), member.signal);
  }
}

export function readCall(read: Read, values: TemplateValues): Call {
  const { namespace, ...selectors } = selectionOf(read, values);
  const address = addressOfName(read.resource);
  const { resourceVersion, resourceVersionMatch, limit } = read;
  if (read.name !== undefined) {
    const ref = { namespace, name: fill(read.name, values) };
    return { method: "GET", path: objectPath(address, ref), query: { resourceVersion } };
  }
  const query = { ...selectors, resourceVersion, resourceVersionMatch, limit };
  return { method: "GET", path: collectionPath(address, namespace), query };
}
