// Members that change things: one object over and over, many new ones, or the end of all that match.
import type { Call } from "../../client/api-caller.ts";
import { listAll } from "../../client/pager.ts";
import { type Page, ResourceClient } from "../../client/resource-client.ts";
import { collectionPath, objectPath } from "../../client/resource-path.ts";
import { type ApiObject, type Served, refOf } from "../../client/served-object.ts";
import { pause } from "../../client/waiting.ts";
import { Backoff } from "../../informer/backoff.ts";
import type { Member } from "../member.ts";
import { objectOf } from "../object-template.ts";
import type { CreatorBehaviour, HotWriterBehaviour, MassDeleterBehaviour } from "../population.ts";
import { addressOfName, knownKind } from "../resource-address.ts";
import { fill } from "../template.ts";
import { selectionOf } from "./informer.ts";

const changeAnnotation = "wavetank.dev/written";
/** The fastest a loop of writes turns, so that simulated time goes on. */
const loopMsMin = 1;

export async function runHotWriter(member: Member, behaviour: HotWriterBehaviour): Promise<void> {
  const { host, signal } = member;
  const chance = host.random.stream("writer");
  const backoff = new Backoff(host.clock, chance, member.library.reflector.backoff);
  for (let turn = 0; turn < (behaviour.times ?? Infinity); turn++) {
    const failure = await member.outcome(() => write(member, behaviour, turn));
    const restMs = failure === undefined ? behaviour.everySeconds * 1_000 : backoff.next();
    await pause(host.clock, Math.max(loopMsMin, restMs), signal);
  }
}

async function write(
  member: Member,
  behaviour: HotWriterBehaviour,
  turn: number,
): Promise<unknown> {
  const { caller, signal, values } = member;
  const namespace = behaviour.namespace && fill(behaviour.namespace, values);
  const ref = { namespace, name: fill(behaviour.name, values) };
  const path = objectPath(addressOfName(behaviour.resource), ref);
  const value = behaviour.change === "none" ? "unchanged" : String(turn);
  const metadata = { annotations: { [changeAnnotation]: value } };
  if (behaviour.verb === "patch") {
    const contentType = "application/merge-patch+json";
    return caller.json({ method: "PATCH", path, body: { metadata }, contentType, signal });
  }
  const current = (await caller.json({ method: "GET", path, signal })) as Served<ApiObject>;
  current.metadata.annotations = { ...current.metadata.annotations, ...metadata.annotations };
  return caller.json({ method: "PUT", path, body: current, signal });
}

export async function runCreator(member: Member, behaviour: CreatorBehaviour): Promise<void> {
  const { manifest, times, perSecond, pad } = behaviour;
  const { clock } = member.host;
  const address = knownKind(manifest.apiVersion, manifest.kind);
  const path = (namespace: string | undefined): string =>
    address === undefined ? "" : collectionPath(address, namespace);
  const startedAt = clock.monotonic();
  for (let object = 0; object < times; object++) {
    const body = objectOf(manifest, { ...member.values, object }, pad);
    await member.attempt({ method: "POST", path: path(body.metadata.namespace), body });
    if (perSecond === 0) continue;
    const dueAt = startedAt + ((object + 1) / perSecond) * 1_000;
    await pause(clock, Math.max(0, dueAt - clock.monotonic()), member.signal);
  }
}

export async function runMassDeleter(
  member: Member,
  behaviour: MassDeleterBehaviour,
): Promise<void> {
  const { caller, signal, values } = member;
  const address = addressOfName(behaviour.resource);
  const { namespace, labelSelector } = selectionOf(behaviour, values);
  const { gracePeriodSeconds, pageLimit, parallel } = behaviour;
  const options = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds };
  const body = gracePeriodSeconds === undefined ? {} : { body: options };
  if (behaviour.mode === "collection") {
    const path = collectionPath(address, namespace);
    await member.attempt({ method: "DELETE", path, query: { labelSelector }, ...body });
    return;
  }
  const calls: Call[] = [];
  const resource = new ResourceClient<ApiObject>(caller, address);
  // Only names are kept, page by page.
  const source = {
    async list(page: Parameters<typeof resource.list>[0]): Promise<Page<ApiObject>> {
      const { items, ...rest } = await resource.list(page);
      for (const item of items)
        calls.push({ method: "DELETE", path: objectPath(address, refOf(item)), ...body });
      return { items: [], ...rest };
    },
  };
  const selectors = labelSelector === undefined ? {} : { labelSelector };
  await member.outcome(() =>
    listAll(source, { namespace, ...selectors, limit: pageLimit, signal }),
  );
  let next = 0;
  const work = async (): Promise<void> => {
    for (let call = calls[next++]; call !== undefined; call = calls[next++])
      await member.attempt(call);
  };
  await Promise.all(Array.from({ length: parallel }, work));
}
