// Empties one resource of one namespace, a bounded batch a request so that nobody else has to wait for it, and says what
// is left.
import type { Client } from "../../client/client.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { isExpired, reasonOf } from "../../client/reason.ts";
import type { ApiObject, Served } from "../../client/served-object.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { graceEstimate, isPods } from "./plan.ts";

/** Objects deleted by one request; a larger namespace takes more requests, not longer ones. */
const batchMax = 500;
/** Times that a pass may begin anew because its continue token became too old. */
const restartsMax = 20;

export interface Left {
  readonly count: number;
  readonly finalizers: ReadonlyMap<string, number>;
  readonly graceSeconds: number;
}

export interface Emptying {
  readonly namespace: string;
  readonly deletedAtMs: number;
  readonly nowMs: number;
}

export async function emptyResource(
  client: Client,
  resource: DiscoveredResource,
  { namespace, deletedAtMs, nowMs }: Emptying,
): Promise<Left> {
  const objects = client.dynamic(resource);
  let graceSeconds = 0;
  const see = (items: readonly Served<ApiObject>[]): void => {
    if (!isPods(resource)) return;
    const grace = graceEstimate(items as readonly Pod[], deletedAtMs, nowMs);
    graceSeconds = Math.max(graceSeconds, grace);
  };
  if (resource.verbs.includes("deletecollection")) await deleteAll(objects, namespace, see);
  else await deleteEach(objects, namespace);
  const { count, finalizers } = resource.verbs.includes("list")
    ? await countLeft(objects, namespace)
    : { count: 0, finalizers: new Map<string, number>() };
  return { count, finalizers, graceSeconds };
}

type Objects = ResourceClient<ApiObject>;

async function deleteAll(
  objects: Objects,
  namespace: string,
  see: (items: readonly Served<ApiObject>[]) => void,
): Promise<void> {
  await eachPage(async (token) => {
    const page = await objects.deleteCollection(
      { namespace, limit: batchMax, continue: token },
      { propagationPolicy: "Background" },
    );
    see(page.items);
    return page.continue;
  });
}

async function deleteEach(objects: Objects, namespace: string): Promise<void> {
  await eachPage(async (token) => {
    const page = await objects.list({ namespace, limit: batchMax, continue: token });
    for (const { metadata } of page.items)
      await ignoringAbsence(
        objects.delete({ namespace, name: metadata.name }, { propagationPolicy: "Background" }),
      );
    return page.continue;
  });
}

async function countLeft(objects: Objects, namespace: string): Promise<Omit<Left, "graceSeconds">> {
  let count = 0;
  const finalizers = new Map<string, number>();
  await eachPage(async (token) => {
    const page = await objects.list({ namespace, limit: batchMax, continue: token });
    if (token === "") {
      count = 0;
      finalizers.clear();
    }
    count += page.items.length;
    for (const { metadata } of page.items)
      for (const name of metadata.finalizers ?? [])
        finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    return page.continue;
  });
  return { count, finalizers };
}

/** `turn` gets the token of the page it has to do, "" at the beginning, and gives the next one, "" at the end. */
async function eachPage(turn: (token: string) => Promise<string>): Promise<void> {
  let token = "";
  let restarts = 0;
  do {
    try {
      token = await turn(token);
    } catch (error) {
      if (!isExpired(error) || token === "" || restarts++ === restartsMax) throw error;
      token = "";
      token = await turn(token);
    }
  } while (token !== "");
}

async function ignoringAbsence(done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (reasonOf(error) !== "NotFound") throw error;
  }
}
