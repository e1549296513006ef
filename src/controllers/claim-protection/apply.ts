// Puts the finalizer on an object, or takes it off.
import { reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { ApiObject, Served } from "../../client/served-object.ts";
import type { ProtectionPlan } from "./plan.ts";

export async function applyProtection<T extends ApiObject>(
  object: Readonly<Served<T>>,
  plan: { readonly do: ProtectionPlan; readonly finalizer: string },
  resource: ResourceClient<T>,
): Promise<void> {
  if (plan.do === "nothing") return;
  const others = (object.metadata.finalizers ?? []).filter((one) => one !== plan.finalizer);
  const finalizers = plan.do === "protect" ? [...others, plan.finalizer] : others;
  try {
    await resource.update({ ...object, metadata: { ...object.metadata, finalizers } });
  } catch (error) {
    if (reasonOf(error) !== "NotFound") throw error;
  }
}
