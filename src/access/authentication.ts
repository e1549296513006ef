// Who is asking. Sees credentials only, never the rest of the request.
import type { Peer } from "../host/http.ts";
import type { UserInfo } from "../api/user-info.ts";

export interface Credentials {
  readonly peer: Peer;
  /** The Authorization header, or the bearer token of a WebSocket subprotocol as `Bearer …`; undefined when absent. */
  readonly authorization: string | undefined;
}

export interface Authenticator {
  /**
   * The user, with system:authenticated where it applies; anonymous when there are no credentials. At once where no token
   * has to be checked. Throws, or rejects with, Unauthorized.
   */
  authenticate(credentials: Credentials): UserInfo | Promise<UserInfo>;
}
