// What a request says about WebSockets: whether it asks for one, which subprotocol, which token it carries
// (upstream: apiserver/pkg/authentication/request/websocket). Pure.
import { Base64Error, decodeBase64 } from "../std/base64.ts";
import { decodeUtf8 } from "../std/utf8.ts";

const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

type Headers = Readonly<Record<string, string | undefined>>;

export function wantsWebSocket(headers: Headers): boolean {
  const upgrade = headers["upgrade"];
  return upgrade !== undefined && upgrade.toLowerCase() === "websocket";
}

/** The first subprotocol that is no token; undefined when none is offered. */
export function offeredSubprotocol(headers: Headers): string | undefined {
  return offeredSubprotocols(headers)[0];
}

/** All that are no token, in the client's order. */
export function offeredSubprotocols(headers: Headers): string[] {
  const all = offered(headers["sec-websocket-protocol"]);
  return all.filter((name) => !name.startsWith(tokenProtocol));
}

/** Browsers cannot set headers on a WebSocket; the token then comes as a subprotocol. `Bearer …` or undefined. */
export function socketToken(protocols: string | undefined): string | undefined {
  const carrier = offered(protocols).find((name) => name.startsWith(tokenProtocol));
  if (carrier === undefined) return undefined;
  const standard = carrier.slice(tokenProtocol.length).replaceAll("-", "+").replaceAll("_", "/");
  try {
    const token = decodeBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "="));
    return `Bearer ${decodeUtf8(token)}`;
  } catch (error) {
    if (error instanceof Base64Error) return undefined;
    throw error;
  }
}

function offered(protocols: string | undefined): string[] {
  return protocols === undefined ? [] : protocols.split(",").map((name) => name.trim());
}
