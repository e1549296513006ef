// POST of a Binding: the scheduler's word that a pod runs on a node (upstream: registry/core/pod/storage BindingREST).
import { badRequest, conflict, notFound, invalid } from "../api/meta/errors.ts";
import { notSupported, required } from "../api/meta/field-error.ts";
import type { KubeObject } from "../api/object.ts";
import type { Binding, Pod, PodCondition } from "../api/types/core-v1.ts";
import type { Host } from "../host/host.ts";
import { successReply } from "./object-reply.ts";
import type { Reply } from "./reply.ts";
import { readObject } from "./request-body.ts";
import { type ResourceCall, storedOf } from "./resource-call.ts";
import { adoptNamespace, writeCall } from "./write-call.ts";
import { readWriteOptions } from "./write-options.ts";

const bindingKind = { group: "", version: "v1", kind: "Binding" };

/** For `pods/NAME/binding` and for the older `bindings`, whose name is in the body. */
export async function createBinding(call: ResourceCall): Promise<Reply> {
  const { server, exchange } = call;
  const pods = server.endpoints.find("", "v1", "pods");
  if (pods === undefined) throw notFound({ group: "", resource: "pods" }, exchange.info.name);
  const options = readWriteOptions(exchange.query, "CreateOptions", exchange.userAgent);
  const { fieldValidation } = options;
  const object = (await readObject(server, exchange, { kind: bindingKind, fieldValidation }))();
  const write = writeCall(server, exchange, { endpoint: pods, options });
  adoptNamespace(object, write.namespace);
  const name = exchange.info.name === "" ? (object.metadata.name ?? "") : exchange.info.name;
  if ((object.metadata.name ?? name) !== name)
    throw badRequest("name in URL does not match name in Binding object");
  const binding = object as unknown as Binding;
  checkTarget(name, binding);
  await storedOf(pods).update({
    ...write,
    name,
    subresource: "binding",
    kind: bindingKind,
    mayCreate: false,
    authorizeCreate: async () => undefined,
    change: (current) => {
      if (current === undefined) throw notFound(pods.target, name);
      return bound(server.host, current, binding);
    },
  });
  return successReply(server, exchange, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 201,
  });
}

function checkTarget(name: string, { target }: Binding): void {
  const errors = [];
  if (target.kind !== undefined && target.kind !== "" && target.kind !== "Node")
    errors.push(notSupported("target.kind", target.kind, ["Node", "<empty>"]));
  if ((target.name ?? "") === "") errors.push(required("target.name"));
  if (errors.length > 0) throw invalid({ group: "", kind: "Binding" }, name, errors);
}

function bound(host: Host, current: KubeObject, binding: Binding): KubeObject {
  const target = { group: "", resource: "pods/binding" };
  const pod = current as unknown as Pod;
  const name = current.metadata.name ?? "";
  const node = binding.target.name ?? "";
  if (current.metadata.deletionTimestamp !== undefined)
    throw conflict(target, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  const assigned = pod.spec?.nodeName ?? "";
  if (assigned !== "")
    throw conflict(
      target,
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(assigned)}`,
    );
  const { annotations } = binding.metadata ?? {};
  return {
    ...current,
    metadata: {
      ...current.metadata,
      ...(annotations === undefined
        ? {}
        : { annotations: { ...current.metadata.annotations, ...annotations } }),
    },
    spec: { ...pod.spec, nodeName: node },
    status: { ...pod.status, conditions: scheduled(host, pod.status?.conditions ?? []) },
  };
}

function scheduled(host: Host, conditions: readonly PodCondition[]): PodCondition[] {
  const now = `${new Date(host.clock.now()).toISOString().slice(0, 19)}Z`;
  const others = conditions.filter(({ type }) => type !== "PodScheduled");
  return [
    ...others,
    { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now },
  ];
}
