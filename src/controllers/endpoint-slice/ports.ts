// Which ports a Service reaches at one pod: named target ports mean what the pod's containers call by that name, and a
// pod without such a container port is not reached there (upstream: podutil.FindPort).
import type { Pod, Service, ServicePort } from "../../api/types/core-v1.ts";

export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

export function portsAt(service: Service, pod: Pod): ResolvedPort[] {
  return (service.spec?.ports ?? []).flatMap((wanted) => {
    const port = findPort(wanted, pod);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = wanted;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function findPort(wanted: ServicePort, pod: Pod): number | undefined {
  const { targetPort, protocol = "TCP" } = wanted;
  if (targetPort === undefined || targetPort === 0 || targetPort === "") return wanted.port;
  if (typeof targetPort === "number") return targetPort;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === targetPort && (port.protocol ?? "TCP") === protocol)
    ?.containerPort;
}

/** The same for the same ports in whatever order. */
export function portsKey(ports: readonly ResolvedPort[]): string {
  return ports
    .map(({ name, port, protocol, appProtocol = "" }) =>
      JSON.stringify([name, port, protocol, appProtocol]),
    )
    .toSorted()
    .join();
}
