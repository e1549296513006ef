// The subresources that lead to a kubelet or a backend: log, exec, attach, portforward, proxy. Without nodes they
// answer as a cluster does whose pods run nowhere.
import { badRequest, serviceUnavailable } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { type ResourceCall, storedOf } from "./resource-call.ts";
import type { Reply } from "./reply.ts";
import { namespaceOf } from "./write-call.ts";
import { parseObject } from "../api/codec/parse-object.ts";

export async function serveConnect({
  server: _server,
  exchange,
  endpoint,
  subresource,
}: ResourceCall): Promise<Reply> {
  const { info, query } = exchange;
  // `https:name:port` and `name:port` reach the same object.
  const name = subresource?.name === "proxy" ? proxiedName(info.name) : info.name;
  const found = await storedOf(endpoint).get(namespaceOf(endpoint, exchange), name, "");
  const { resource } = endpoint.target;
  if (resource === "services")
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(info.name)}`);
  if (resource === "nodes")
    throw serviceUnavailable(`error trying to reach service: no kubelet runs on ${name}`);
  const pod = parseObject(found.bytes);
  if (subresource?.name === "proxy") throw badRequest("address not allowed");
  requireContainer(pod, query.first("container") ?? "", subresource?.name !== "portforward");
  // Nothing to read yet, which upstream calls no error (core/rest/log.go: no location, no content).
  if (subresource?.name === "log" && nodeOf(pod) === "") return noContent;
  throw noHost(pod, subresource?.name ?? "");
}

const noContent: Reply = { status: 204, contentType: "", body: undefined };

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

function requireContainer(pod: KubeObject, asked: string, needed: boolean): void {
  if (!needed) return;
  const spec = pod["spec"] as ContainerNames;
  const containers = names(spec.containers);
  const init = names(spec.initContainers);
  const ephemeral = names(spec.ephemeralContainers);
  const podName = pod.metadata.name ?? "";
  if (asked !== "") {
    if (![...containers, ...init, ...ephemeral].includes(asked))
      throw badRequest(`container ${asked} is not valid for pod ${podName}`);
    return;
  }
  if (containers.length === 1) return;
  const list = `[${containers.join(" ")}]`;
  const ofInit = init.length === 0 ? "" : ` or one of the init containers: [${init.join(" ")}]`;
  throw badRequest(
    `a container name must be specified for pod ${podName}, choose one of: ${list}${ofInit}`,
  );
}

function names(containers: readonly { readonly name: string }[] | undefined): string[] {
  return (containers ?? []).map(({ name }) => name);
}

function noHost(pod: KubeObject, subresource: string): Error {
  const node = nodeOf(pod);
  const name = pod.metadata.name ?? "";
  if (node === "") return badRequest(`pod ${name} does not have a host assigned`);
  const what = subresource === "log" ? "fetch its logs" : subresource;
  return serviceUnavailable(`no kubelet runs on node ${node} (${what} needs one)`);
}

function nodeOf(pod: KubeObject): string {
  return (pod["spec"] as ContainerNames).nodeName ?? "";
}
