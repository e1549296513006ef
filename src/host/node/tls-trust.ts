// Whom a client trusts and what it shows of itself, read once for all its connections.
import { type SecureContext, createSecureContext } from "node:tls";
import type { ServerCredentials } from "./kubeconfig-credentials.ts";

export interface TlsTrust {
  readonly secureContext: SecureContext;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

export function tlsTrust(credentials: ServerCredentials): TlsTrust {
  const { ca, certificate, key, serverName, insecure } = credentials;
  return {
    secureContext: createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
    }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: !insecure,
  };
}
