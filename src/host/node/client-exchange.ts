// What both ways of speaking to a server have in common: the headers a request leaves with, and what a broken connection
// is called.
import { ConnectionError, type HttpRequest } from "../http.ts";
import type { ServerCredentials } from "./kubeconfig-credentials.ts";

/** Sent once for each value, because a value may hold a comma. */
const repeatable = "impersonate-group";

export function sentHeaders(
  request: HttpRequest,
  { token }: ServerCredentials,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined)
      headers[name] = name === repeatable ? [...request.repeated(name)] : value;
  if (token !== undefined) headers["authorization"] ??= `Bearer ${token}`;
  return headers;
}

/** `target` below the path of the server's own URL; it may be a query alone. */
export function requestPath(url: URL, target: string): string {
  const path = `${url.pathname.replace(/\/$/, "")}${target}`;
  return path.startsWith("/") ? path : `/${path}`;
}

export function connectionError(error: Error & { readonly code?: string }): ConnectionError {
  return new ConnectionError(error.message, error.code === "ECONNREFUSED", error);
}
