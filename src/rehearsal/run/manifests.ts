// Objects of a script on their way to the API: made, or merged into what is there.
import { ApiCaller } from "../../client/api-caller.ts";
import { reasonOf } from "../../client/reason.ts";
import { collectionPath, objectPath } from "../../client/resource-path.ts";
import { refOf } from "../../client/served-object.ts";
import type { Manifest } from "../../fleet/population.ts";
import { knownKind } from "../../fleet/resource-address.ts";
import { assert } from "../../std/assert.ts";
import type { World } from "../world/world.ts";
import { kubernetesVersion } from "../../api/kubernetes-version.ts";

/** Rejects with the first refusal. */
export async function applyManifests(world: World, manifests: readonly Manifest[]): Promise<void> {
  const userAgent = `kubectl/${kubernetesVersion}`;
  const caller = new ApiCaller(world.host, world.network.transport(userAgent), {
    userAgent,
    identity: world.administrator,
    rateLimit: undefined,
  });
  for (const manifest of manifests) await apply(caller, manifest);
}

async function apply(caller: ApiCaller, manifest: Manifest): Promise<void> {
  const known = knownKind(manifest.apiVersion, manifest.kind);
  assert(known !== undefined, "the scenario was checked");
  // The version that was written, which may be older than the one that discovery prefers.
  const address = { ...known, version: manifest.apiVersion.split("/").at(-1) ?? known.version };
  const path = collectionPath(address, manifest.metadata.namespace);
  try {
    await caller.json({ method: "POST", path, body: manifest });
  } catch (error) {
    if (reasonOf(error) !== "AlreadyExists") throw error;
    const contentType = "application/merge-patch+json";
    const own = objectPath(address, refOf(manifest));
    await caller.json({ method: "PATCH", path: own, body: manifest, contentType });
  }
}
