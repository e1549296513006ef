// What answers on a port of a simulated pod: a page that names the pod, unless an annotation says something else
// (docs/streams.md). Pure.
import type { Container, Pod } from "../../api/types/core-v1.ts";
import { statusOf } from "./container-state.ts";

export type PortAnswer =
  /** HTTP, the same body for every request. */
  | { readonly is: "page"; readonly container: string; readonly body: string }
  /** Every byte comes back. */
  | { readonly is: "echo"; readonly container: string };

const annotation = "wavetank.dev/serve.";

/** Undefined: nobody listens there. Ports that no container declares answer only where an annotation says so. */
export function answerOf(pod: Pod, port: number): PortAnswer | undefined {
  const said = pod.metadata.annotations?.[`${annotation}${port}`];
  const container = containerOn(pod, port, said !== undefined);
  if (container === undefined || said === "refuse") return undefined;
  if (statusOf(pod, container.name)?.state?.running === undefined) return undefined;
  if (said === "echo") return { is: "echo", container: container.name };
  const body = said === undefined || said === "page" ? pageOf(pod, container.name, port) : said;
  return { is: "page", container: container.name, body: body.endsWith("\n") ? body : `${body}\n` };
}

function containerOn({ spec }: Pod, port: number, said: boolean): Container | undefined {
  const { containers = [], initContainers = [] } = spec ?? {};
  const all = [...containers, ...initContainers];
  const declares = ({ ports = [] }: Container): boolean =>
    ports.some(
      ({ containerPort, protocol = "TCP" }) => containerPort === port && protocol === "TCP",
    );
  return all.find(declares) ?? (said ? containers[0] : undefined);
}

function pageOf({ metadata, spec }: Pod, container: string, port: number): string {
  const { name = "", namespace = "" } = metadata;
  const lines = [
    `pod: ${name}`,
    `namespace: ${namespace}`,
    `node: ${spec?.nodeName ?? ""}`,
    `container: ${container}`,
    `port: ${port}`,
  ];
  return lines.join("\n");
}

/** As containerd says it, through the kubelet. */
export function refusedText({ metadata }: Pod, port: number): string {
  const sandbox = (metadata.uid ?? "").replaceAll("-", "");
  const why = `IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6 [::1]:${port}: connect: connection refused`;
  const failed = `failed to connect to localhost:${port} inside namespace "${sandbox}", ${why} `;
  return `error forwarding port ${port} to pod ${sandbox}, uid : failed to execute portforward in network namespace "/var/run/netns/cni-${metadata.uid ?? ""}": ${failed}`;
}
