// What a user does during a run, and how one sees that the cluster has done what he wanted.
import { StatusError } from "../../src/api/meta/errors.ts";
import type { Container, PodTemplateSpec } from "../../src/api/types/core-v1.ts";
import type { Client } from "../../src/client/client.ts";
import { ConnectionError } from "../../src/host/http.ts";
import type { Clock } from "../../src/host/host.ts";
import type { Acknowledged } from "../checkers/acknowledged.ts";
import type { StoredState } from "../stored-state.ts";

export interface User {
  readonly client: Client;
  readonly clock: Clock;
  readonly acknowledged: Acknowledged;
}

export interface Workload {
  readonly name: string;
  /** Resolves when the user has done all he wanted to do. */
  act(user: User): Promise<void>;
  /** What is still missing; "": it is as it should be. */
  missing(state: StoredState): string;
}

const patienceMs = 1_000;

/** Does it until the server has said yes; a server that is down, or an answer that got lost, is asked again. */
export async function insist(
  { clock, acknowledged }: User,
  what: string,
  ask: () => Promise<{ metadata: { resourceVersion?: string } } | void>,
): Promise<void> {
  for (;;) {
    try {
      const answer = await ask();
      const { resourceVersion } = answer?.metadata ?? {};
      if (resourceVersion !== undefined) acknowledged.note(what, resourceVersion);
      return;
    } catch (error) {
      if (error instanceof StatusError && isDone(error)) return;
      if (!(error instanceof ConnectionError) && !isPassing(error)) throw error;
    }
    await pause(clock, patienceMs);
  }
}

/** The answer that got lost was a yes. */
function isDone({ reason }: StatusError): boolean {
  return reason === "AlreadyExists" || reason === "NotFound";
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.code >= 500 || error.reason === "Conflict" || error.reason === "TooManyRequests")
  );
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

export const namespace = "work";

export function madeNamespace(user: User, name: string = namespace): Promise<void> {
  const namespaces = user.client.resource("namespaces");
  return insist(user, `namespace ${name}`, () => namespaces.create({ metadata: { name } }));
}

export function templateOf(
  app: string,
  parts: { image?: string; cpu?: string; annotations?: Record<string, string>; spec?: object } = {},
): PodTemplateSpec {
  const { image = "one", cpu, annotations = {}, spec = {} } = parts;
  const container: Container = {
    name: "c",
    image,
    ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
  };
  return {
    metadata: { labels: { app }, annotations },
    spec: { containers: [container], ...spec },
  };
}
