// For tests of this folder: a server whose every part the test holds in its hand, requests without sockets, answers
// read to their end.
import { noAccountant } from "../accounting/accountant.ts";
import type { AuthorizationAttributes } from "../access/authorization.ts";
import type { KubeObject } from "../api/object.ts";
import { unauthorized } from "../api/meta/errors.ts";
import { noNodeMetrics } from "../api/node-metrics.ts";
import { noNodeStreams } from "../api/node-streams.ts";
import { noLabour } from "./parts.ts";
import { schema } from "../api/schema/schema.ts";
import { MaxInFlight } from "../flowcontrol/max-in-flight.ts";
import type { BodySink, HttpRequest, HttpResponse } from "../host/http.ts";
import { BodyTooLargeError } from "../host/http.ts";
import { type TestHost, createTestHost } from "../host/host.testbed.ts";
import { HeldRegistry } from "./held-registry.testbed.ts";
import { joinBytes } from "./json-bytes.ts";
import { type ServerParts, serverLimitDefaults } from "./parts.ts";
import { type ApiServer, createApiServer } from "./server.ts";

const utf8 = new TextEncoder();
const text = new TextDecoder();

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: object | string | Uint8Array;
}

/** `target` with its query. */
export function requestOf(target: string, sent: Sent = {}): HttpRequest {
  const body = bodyBytes(sent.body);
  const headers = { accept: "application/json", "user-agent": "test/1.0", ...sent.headers };
  return {
    method: sent.method ?? "GET",
    target,
    headers,
    repeated: (name) => [headers[name as keyof typeof headers] ?? []].flat(),
    body: {
      read: async (limit) => {
        if (body.length > limit) throw new BodyTooLargeError("too large");
        return body;
      },
    },
    peer: { address: "127.0.0.1" },
    signal: new AbortController().signal,
  };
}

function bodyBytes(body: Sent["body"]): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  return utf8.encode(typeof body === "string" ? body : JSON.stringify(body));
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Throws when the body is no JSON. */
  json(): Record<string, unknown>;
  readonly response: HttpResponse;
}

export async function receive(response: HttpResponse): Promise<Received> {
  const bytes = await readBody(response);
  const headers: Record<string, string[]> = {};
  for (const [name, value] of response.headers) (headers[name] ??= []).push(value);
  return {
    status: response.status,
    headers,
    bytes,
    text: text.decode(bytes),
    json: () => JSON.parse(text.decode(bytes)) as Record<string, unknown>,
    response,
  };
}

async function readBody({ body }: HttpResponse): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array(0);
  if (typeof body === "string") return utf8.encode(body);
  if (typeof body !== "function") return body;
  const sink = new CollectingSink();
  await body(sink);
  return joinBytes(sink.chunks);
}

/** Takes what it gets; `leave` is the client going away. */
export class CollectingSink implements BodySink {
  /** Copies; what was handed over is reused. */
  readonly chunks: Uint8Array[] = [];
  readonly handed: Uint8Array[] = [];
  readonly #controller = new AbortController();

  get signal(): BodySink["signal"] {
    return this.#controller.signal;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.signal.aborted) throw new Error("client is gone");
    this.handed.push(chunk);
    this.chunks.push(chunk.slice());
  }

  leave(): void {
    this.#controller.abort();
  }

  /** Resolves when nothing was written for some turns of the loop. */
  async quiet(): Promise<undefined> {
    for (let seen = -1; seen !== this.chunks.length;) {
      seen = this.chunks.length;
      for (let turn = 0; turn < 10; turn++)
        await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    return undefined;
  }

  get text(): string {
    return text.decode(joinBytes(this.chunks));
  }
}

export interface Bed {
  readonly server: ApiServer;
  readonly host: TestHost;
  readonly parts: TestParts;
  /** By plural name. */
  readonly registries: ReadonlyMap<string, HeldRegistry>;
  readonly send: (target: string, sent?: Sent) => Promise<Received>;
}

const held = ["namespaces", "pods", "configmaps", "deployments", "nodes", "services"];

/** A server that holds a few resources in Maps. */
export function bed(more: Partial<ServerParts> = {}): Bed {
  const host = createTestHost();
  const registries = new Map(
    schema.resources
      .filter(({ resource }) => held.includes(resource))
      .map((resource) => [resource.resource, new HeldRegistry(resource)]),
  );
  const parts = testParts({
    registries: { find: (_group, resource) => registries.get(resource) },
    ...more,
  });
  const server = createApiServer(host, parts);
  return {
    server,
    host,
    parts,
    registries,
    send: async (target, sent) => receive(await server.handle(requestOf(target, sent))),
  };
}

interface TestParts extends ServerParts {
  /** Everything that was asked of the authorizer, newest last. */
  readonly asked: AuthorizationAttributes[];
}

/** `Bearer NAME` is who you are, a stranger is nobody; `bob` may only get and list. */
function testParts(more: Partial<ServerParts>): TestParts {
  const asked: AuthorizationAttributes[] = [];
  return {
    asked,
    schema,
    registries: { find: () => undefined },
    gate: new MaxInFlight({ reading: 0, mutating: 0 }),
    debugPages: [],
    histograms: [],
    authenticator: {
      authenticate: async ({ authorization }) => {
        const name = authorization?.replace("Bearer ", "") ?? "admin";
        if (name === "stranger") throw unauthorized();
        return { name, uid: "", groups: ["system:authenticated"], extra: {} };
      },
    },
    authorizer: {
      authorize: async (attributes) => {
        asked.push(attributes);
        const reading = attributes.verb === "get" || attributes.verb === "list";
        return { allowed: attributes.user.name !== "bob" || reading, reason: "" };
      },
    },
    admission: { mutate: async () => undefined, validate: async () => undefined },
    impersonator: {
      impersonate: async ({ user }, { headers }) => ({
        ...user,
        name: headers["impersonate-user"] ?? "",
      }),
    },
    reviews: { find: (group, resource) => reviews.get(`${resource}.${group}`) },
    tokenKeys: { configuration: () => ({ issuer: "i" }), keys: () => ({ keys: [] }) },
    version: { major: "1", minor: "36", gitVersion: "v1.36.0" },
    accountant: noAccountant,
    auditor: undefined,
    ledger: undefined,
    healthChecks: [],
    components: () => [{ name: "etcd-0", healthy: true, message: "ok" }],
    gauges: [],
    nodeStreams: noNodeStreams,
    nodeMetrics: noNodeMetrics,
    labour: noLabour,
    options: { ...serverLimitDefaults, externalAddress: "127.0.0.1:6443" },
    ...more,
  };
}

/** Answers with who asked. */
const reviews = new Map([
  [
    "selfsubjectreviews.authentication.k8s.io",
    {
      review: async (
        object: KubeObject,
        { user }: { readonly user: { readonly name: string } },
      ): Promise<KubeObject> => ({ ...object, status: { userInfo: { username: user.name } } }),
    },
  ],
]);

export const configMaps = "/api/v1/namespaces/default/configmaps";

export function configMap(name: string, data: object = { a: "b" }): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

export function post(body: object | string, headers: Record<string, string> = {}): Sent {
  return { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
}
