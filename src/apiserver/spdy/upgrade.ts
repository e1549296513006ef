// How a connection comes to speak SPDY/3.1: by an upgrade of its own, where a header says what its streams are for, or
// inside a WebSocket, whose subprotocol says it (KEP-4006). Pure.
import { badRequest } from "../../api/meta/errors.ts";
import type { BodyStream, HttpRequest } from "../../host/http.ts";
import { type Reply, plainError } from "../reply.ts";
import { offeredSubprotocols, wantsWebSocket } from "../web-socket.ts";

const spdy = "SPDY/3.1";
const protocolHeader = "x-stream-protocol-version";

export interface Agreement {
  readonly protocol: string;
  readonly tunnelled: boolean;
}

/** A refusal, when client and server have no protocol in common. */
export type Agreed = { readonly agreement: Agreement } | { readonly refusal: Reply };

export function wantsSpdy({ headers }: HttpRequest): boolean {
  return headers["upgrade"]?.toLowerCase() === spdy.toLowerCase();
}

/** The first of the client's that is `spoken` here. Throws 400 where nothing is to be upgraded. */
export function agree(request: HttpRequest, spoken: readonly string[]): Agreed {
  const tunnelled = wantsWebSocket(request.headers);
  if (!tunnelled && !wantsSpdy(request)) throw badRequest("Upgrade request required");
  const offered = tunnelled ? tunnelledIn(request) : offeredIn(request);
  const protocol = offered.find((name) => spoken.includes(name));
  if (protocol !== undefined) return { agreement: { protocol, tunnelled } };
  const both = `client supports [${offered.join(" ")}], server accepts [${spoken.join(" ")}]`;
  const refusal = plainError(403, `unable to upgrade: unable to negotiate protocol: ${both}`);
  return { refusal };
}

export function upgraded({ protocol, tunnelled }: Agreement, body: BodyStream): Reply {
  const reply = { status: 101, contentType: "", body };
  return tunnelled
    ? {
        ...reply,
        webSocket: { frames: "binary", twoWay: true, subprotocol: `${spdy}+${protocol}` },
      }
    : { ...reply, headers: [[protocolHeader, protocol]], bytesProtocol: spdy };
}

function offeredIn(request: HttpRequest): string[] {
  const lines = request.repeated(protocolHeader);
  return lines.flatMap((line) => line.split(",").map((name) => name.trim()));
}

function tunnelledIn({ headers }: HttpRequest): string[] {
  const offered = offeredSubprotocols(headers).filter((name) => name.startsWith(`${spdy}+`));
  return offered.map((name) => name.slice(spdy.length + 1));
}
