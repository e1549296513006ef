// Writes one Endpoints object, or takes it away after its Service.
import type { Endpoints, Service } from "../../api/types/core-v1.ts";
import { hasCause, reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, refOfKey } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import type { EndpointsPlan } from "./plan.ts";

export interface EndpointsWriter {
  readonly endpoints: ResourceClient<Endpoints>;
  readonly recorder: EventRecorder;
}

export async function applyEndpoints(
  service: Readonly<Served<Service>>,
  plan: EndpointsPlan,
  { endpoints, recorder }: EndpointsWriter,
): Promise<void> {
  if (plan.do === "nothing") return;
  try {
    await (plan.do === "create"
      ? endpoints.create(plan.endpoints)
      : endpoints.update(plan.endpoints));
  } catch (error) {
    // The Service goes with its namespace.
    if (hasCause(error, "NamespaceTerminating")) return;
    const verb = plan.do === "create" ? "create" : "update";
    const reason = plan.do === "create" ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint";
    const { namespace, name } = service.metadata;
    const message = `Failed to ${verb} endpoint ${namespace}/${name}: ${String(error)}`;
    if (reasonOf(error) !== "Conflict") recorder.event(service, "Warning", reason, message);
    throw error;
  }
}

export async function removeEndpoints(key: string, { endpoints }: EndpointsWriter): Promise<void> {
  try {
    await endpoints.delete(refOfKey(key));
  } catch (error) {
    if (reasonOf(error) !== "NotFound") throw error;
  }
}
