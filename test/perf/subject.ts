// The server under measurement as the stories see it, and where they put their objects.
import type { ServerCredentials } from "../../src/host/node/kubeconfig-credentials.ts";
import type { LoadClient } from "./load-client.ts";

export interface Subject {
  readonly target: ServerCredentials;
  /** Path of the kubeconfig that `target` was read from. */
  readonly kubeconfig: string;
  /** Absent for a server that is not ours: CPU and memory cannot be told. */
  readonly pid?: number;
}

/** One a run, so that a server that lives on can be measured again. */
export const namespace = `bench-${process.pid}`;

export function path(resource: string): string {
  return `/api/v1/namespaces/${namespace}/${resource}`;
}

/** With its ServiceAccount, which pods need and which a server without controllers does not make. */
export async function createNamespace(client: LoadClient): Promise<void> {
  const body = (kind: string, name: string): string =>
    JSON.stringify({ apiVersion: "v1", kind, metadata: { name } });
  await client.expect(201, "POST", "/api/v1/namespaces", { body: body("Namespace", namespace) });
  await client.send("POST", path("serviceaccounts"), { body: body("ServiceAccount", "default") });
}

/** For servers that are not thrown away. */
export async function removeNamespace(client: LoadClient): Promise<void> {
  for (const resource of ["pods", "configmaps"])
    await client.send("DELETE", `${path(resource)}?gracePeriodSeconds=0`);
  await client.send("DELETE", `/api/v1/namespaces/${namespace}`);
}

export interface LoopLag {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Of the server's event loop since the last call; undefined when it does not tell. */
export async function takeLoopLag(client: LoadClient): Promise<LoopLag | undefined> {
  const { body } = await client.expect(200, "GET", "/metrics", { accept: "*/*", keep: true });
  const text = body.toString();
  const ms = (name: string): number | undefined => {
    const value = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, "m").exec(text)?.[1];
    return value === undefined ? undefined : Number(value) * 1000;
  };
  const [p99Ms, maxMs] = [ms("p99"), ms("max")];
  return p99Ms === undefined || maxMs === undefined ? undefined : { p99Ms, maxMs };
}
