// Members that change things: one object over and over, many new ones, or the end of all that match.
import { listAll } from "../../client/pager.ts";
import { type Page, type ResourceAddress, ResourceClient } from "../../client/resource-client.ts";
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
  const { gracePeriodSeconds, parallel } = behaviour;
  const options = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds };
  const body = gracePeriodSeconds === undefined ? {} : { body: options };
  const address = addressOfName(behaviour.resource);
  if (behaviour.mode === "collection") {
    const { namespace, labelSelector } = selectionOf(behaviour, member.values);
    const path = collectionPath(address, namespace);
    await member.attempt({ method: "DELETE", path, query: { labelSelector }, ...body });
    return;
  }
  const paths = await pathsOfAll(member, behaviour, address);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++])
      await member.attempt({ method: "DELETE", path, ...body });
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** As far as the server lists them. Only names are kept, each once, also where an expired page makes it list anew. */
async function pathsOfAll(
  member: Member,
  behaviour: MassDeleterBehaviour,
  address: ResourceAddress,
): Promise<string[]> {
  const paths = new Set<string>();
  const resource = new ResourceClient<ApiObject>(member.caller, address);
  const source = {
    async list(page: Parameters<typeof resource.list>[0]): Promise<Page<ApiObject>> {
      const { items, ...rest } = await resource.list(page);
      for (const item of items) paths.add(objectPath(address, refOf(item)));
      return { items: [], ...rest };
    },
  };
  const { signal, values } = member;
  const selection = selectionOf(behaviour, values);
  await member.outcome(() => listAll(source, { ...selection, limit: behaviour.pageLimit, signal }));
  return [...paths];
}
