// Writes a Service's slices: new ones first, so that no endpoint is missing from all of them meanwhile.
import type { Service } from "../../api/types/core-v1.ts";
import type { EndpointSlice } from "../../api/types/discovery-v1.ts";
import { hasCause, reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { SlicePlan } from "./plan.ts";
import type { WrittenSlices } from "./written-slices.ts";

export async function applySlices(
  service: Readonly<Served<Service>>,
  plan: SlicePlan,
  writer: { readonly slices: ResourceClient<EndpointSlice>; readonly written: WrittenSlices },
): Promise<void> {
  const { slices, written } = writer;
  const key = keyOf(service);
  for (const slice of plan.create) {
    try {
      written.wrote(key, await slices.create(slice));
    } catch (error) {
      // The Service goes with its namespace.
      if (hasCause(error, "NamespaceTerminating")) return;
      throw error;
    }
  }
  for (const slice of plan.update) written.wrote(key, await slices.update(slice));
  for (const slice of plan.delete) {
    written.deleted(key, slice);
    try {
      await slices.delete(refOf(slice));
    } catch (error) {
      if (reasonOf(error) === "NotFound") continue;
      written.sawDeletion(key, slice);
      throw error;
    }
  }
}
