// A server that answers what a test says, request by request; for what a true server does only when it is unwell.
import type { BodySink, HttpRequest, HttpResponse, ResponseBody } from "../src/host/http.ts";
import type { Transport } from "../src/client/transport.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: HttpRequest["headers"];
  readonly body: unknown;
}

export type Answer = HttpResponse | Error;

export interface ScriptedServer {
  readonly transport: Transport;
  readonly asked: Asked[];
}

/** `answer` is called with each request and its number, from 0; an Error is what the transport rejects with. */
export function scriptedServer(
  answer: (asked: Asked, index: number) => Answer | Promise<Answer>,
): ScriptedServer {
  const asked: Asked[] = [];
  const transport: Transport = async (request) => {
    const url = new URL(request.target, "http://server");
    const text = decoder.decode(await request.body.read(1e6));
    const one: Asked = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
    asked.push(one);
    const response = await answer(one, asked.length - 1);
    if (response instanceof Error) throw response;
    return response;
  };
  return { transport, asked };
}

export function json(status: number, body: object, retryAfter?: number): HttpResponse {
  const headers: [string, string][] =
    retryAfter === undefined ? [] : [["retry-after", String(retryAfter)]];
  return { status, headers, body: JSON.stringify(body) };
}

export function refusal(code: number, reason: string, details: object = {}): HttpResponse {
  return json(code, { kind: "Status", status: "Failure", message: reason, reason, details, code });
}

export function list(resourceVersion: string, items: object[], next = ""): HttpResponse {
  return json(200, { metadata: { resourceVersion, continue: next }, items });
}

export function configMap(name: string, resourceVersion: string, uid = `uid-${name}`): object {
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name, namespace: "default", uid, resourceVersion },
  };
}

export function event(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function bookmark(resourceVersion: string, initialEventsEnd = false): string {
  const annotations = initialEventsEnd ? { "k8s.io/initial-events-end": "true" } : {};
  return event("BOOKMARK", { metadata: { resourceVersion, annotations } });
}

/** Sends the lines and, unless it `stays`, ends. */
export function stream(lines: readonly string[], stays: boolean): HttpResponse {
  const body: ResponseBody = async (sink: BodySink) => {
    for (const line of lines) await sink.write(encoder.encode(line));
    if (stays && !sink.signal.aborted)
      await new Promise<void>((resolve) =>
        sink.signal.addEventListener("abort", () => resolve(), { once: true }),
      );
  };
  return { status: 200, headers: [], body };
}
