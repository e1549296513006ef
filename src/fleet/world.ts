// Where a fleet lives: a host for its time and chance, a way to the server, and how it becomes somebody there. A command
// gives it sockets and impersonation, a rehearsal the server's own handler.
import {
  type Identity,
  type ImpersonatedUser,
  impersonatingIdentity,
  transportIdentity,
  userIdentity,
} from "../client/identity.ts";
import type { Transport } from "../client/transport.ts";
import type { Host } from "../host/host.ts";

export interface FleetConnection {
  readonly transport: Transport;
  close(): void;
}

export interface FleetWorld {
  readonly host: Host;
  /** A connection of its own; it may be made only when it is used. */
  connect(protocol: "http2" | "http1"): FleetConnection;
  /** Undefined: whoever the way to the server proves to be. */
  identify(user: ImpersonatedUser | undefined): Identity;
}

/** In the server's process, where a peer is whom we say it is; `self`: whoever prepares, and members without a name. */
export function inProcessWorld(host: Host, transport: Transport, self: Identity): FleetWorld {
  return {
    host,
    connect: () => ({ transport, close: () => undefined }),
    identify: (user) =>
      user === undefined ? self : userIdentity(host.digest, user.name, user.groups),
  };
}

/** Over connections that prove one user, who may impersonate the others. */
export function impersonatingWorld(host: Host, connect: FleetWorld["connect"]): FleetWorld {
  return {
    host,
    connect,
    identify: (user) => (user === undefined ? transportIdentity : impersonatingIdentity(user)),
  };
}
