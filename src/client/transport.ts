// How a client reaches a server: the server's own handler when both live in one process, or a function of the same
// shape that speaks HTTPS (host/node/https-transport.ts). Nothing above this line knows which of them it has.
import type { Handler } from "../host/http.ts";

/**
 * Unlike a server's handler it may reject: with ConnectionError when no answer came. The body of every answer must be
 * read or refused, because a server lets go of what the answer holds only then.
 */
export type Transport = Handler;
