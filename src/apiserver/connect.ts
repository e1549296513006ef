// The subresources that lead to a kubelet or a backend: log, exec, attach, portforward, proxy. What the server itself
// refuses is decided here; then the node is asked (streams/). Nobody serves proxy yet.
import { badRequest, serviceUnavailable } from "../api/meta/errors.ts";
import type { ContainerTarget } from "../api/node-streams.ts";
import type { KubeObject } from "../api/object.ts";
import { forbiddenRequest } from "../access/forbidden.ts";
import { attributesOf } from "./attributes.ts";
import type { Exchange } from "./exchange.ts";
import type { Query } from "./query.ts";
import type { ServerState } from "./server-state.ts";
import { readLogOptions } from "./streams/log-options.ts";
import { serveLog } from "./streams/log.ts";
import { servePortForward } from "./streams/port-forward.ts";
import { serveProcess } from "./streams/process.ts";
import { type ResourceCall, storedOf } from "./resource-call.ts";
import type { Reply } from "./reply.ts";
import { namespaceOf } from "./write-call.ts";
import { parseObject } from "../api/codec/parse-object.ts";

export async function serveConnect(call: ResourceCall): Promise<Reply> {
  const { server, exchange, endpoint, subresource } = call;
  const { info, query } = exchange;
  // `https:name:port` and `name:port` reach the same object.
  const name = subresource?.name === "proxy" ? proxiedName(info.name) : info.name;
  const found = await storedOf(endpoint).get(namespaceOf(endpoint, exchange), name, "");
  exchange.cost.addRead(found.cost);
  const { resource } = endpoint.target;
  if (resource === "services")
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(info.name)}`);
  if (resource === "nodes")
    throw serviceUnavailable(`error trying to reach service: no kubelet runs on ${name}`);
  const pod = parseObject(found.object.bytes);
  if (subresource?.name === "proxy") throw badRequest("address not allowed");
  const what = subresource?.name ?? "";
  if (what === "log") {
    const options = readLogOptions(query, name, server.host.clock.now());
    return serveLog(server, targetOf(pod, query), options);
  }
  await requireCreate(server, exchange);
  const node = nodeOf(pod);
  if (what === "portforward") {
    if (node === "") throw noHost(name);
    const { namespace = "" } = pod.metadata;
    return servePortForward(server, exchange, { node, namespace, pod: name });
  }
  const target = targetOf(pod, query);
  if (node === "") throw noHost(name);
  return serveProcess(server, exchange, target);
}

/** Which container is meant. Throws 400 unless that is clear. */
function targetOf(pod: KubeObject, query: Query): ContainerTarget {
  const { name = "", namespace = "" } = pod.metadata;
  const container = containerOf(pod, query.first("container") ?? "");
  return { node: nodeOf(pod), namespace, pod: name, container };
}

/** A WebSocket opens with GET, which must not do what only `create` allows (upstream since 1.35, issue 133515). */
async function requireCreate(server: ServerState, exchange: Exchange): Promise<void> {
  if (exchange.info.verb === "create") return;
  const attributes = { ...attributesOf(exchange), verb: "create" };
  const decision = await server.parts.authorizer.authorize(attributes);
  if (!decision.allowed) throw forbiddenRequest(attributes, decision.reason);
}

function proxiedName(name: string): string {
  const parts = name.split(":");
  return parts.length === 3 ? parts[1]! : parts[0]!;
}

interface ContainerNames {
  readonly containers?: readonly { readonly name: string }[];
  readonly initContainers?: readonly { readonly name: string }[];
  readonly ephemeralContainers?: readonly { readonly name: string }[];
  readonly nodeName?: string;
}

function containerOf(pod: KubeObject, asked: string): string {
  const spec = pod["spec"] as ContainerNames;
  const containers = names(spec.containers);
  const init = names(spec.initContainers);
  const ephemeral = names(spec.ephemeralContainers);
  const podName = pod.metadata.name ?? "";
  if (asked !== "") {
    if (![...containers, ...init, ...ephemeral].includes(asked))
      throw badRequest(`container ${asked} is not valid for pod ${podName}`);
    return asked;
  }
  if (containers.length === 1) return containers[0]!;
  const list = `[${containers.join(" ")}]`;
  const ofInit = init.length === 0 ? "" : ` or one of the init containers: [${init.join(" ")}]`;
  throw badRequest(
    `a container name must be specified for pod ${podName}, choose one of: ${list}${ofInit}`,
  );
}

function names(containers: readonly { readonly name: string }[] | undefined): string[] {
  return (containers ?? []).map(({ name }) => name);
}

function noHost(pod: string): Error {
  return badRequest(`pod ${pod} does not have a host assigned`);
}

function nodeOf(pod: KubeObject): string {
  return (pod["spec"] as ContainerNames).nodeName ?? "";
}
