// Who is connected: counts connections, refuses those over the limits, forgets those that never finish their handshake.
// It reads no request; what it did is in `figures`.
import type { Socket } from "node:net";
import type { TLSSocket, Server as TlsServer } from "node:tls";
import type { ConnectionLimits } from "./connection-limits.ts";
import { inSlices } from "./in-slices.ts";

/** Why a connection was refused or ended by us. */
export type CutReason =
  | "total"
  | "peer"
  | "handshakes"
  | "handshakeTimeout"
  | "idle"
  | "answerNotTaken";

const reasons: readonly CutReason[] = [
  "total",
  "peer",
  "handshakes",
  "handshakeTimeout",
  "idle",
  "answerNotTaken",
];

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Set<TLSSocket>();
  /** In the order they came, by address and port. */
  readonly #handshakes = new Map<string, Socket>();
  /** With those that shake hands. */
  readonly #perPeer = new Map<string, number>();
  readonly #cuts = new Map<CutReason, number>(reasons.map((reason) => [reason, 0]));
  #total = 0;
  #accepted = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Those that may speak. */
  get open(): ReadonlySet<TLSSocket> {
    return this.#open;
  }

  get handshakes(): number {
    return this.#handshakes.size;
  }

  get accepted(): number {
    return this.#accepted;
  }

  get cuts(): ReadonlyMap<CutReason, number> {
    return this.#cuts;
  }

  count(reason: CutReason): void {
    this.#cuts.set(reason, (this.#cuts.get(reason) ?? 0) + 1);
  }

  /** Stands before TLS: a connection over the limits costs no handshake. */
  guard(server: TlsServer): void {
    const beginHandshake = server.listeners("connection");
    server.removeAllListeners("connection");
    const shakeHands = inSlices();
    server.on("connection", (socket: Socket) => {
      if (!this.#admit(socket)) return;
      // Eighty that come at once would hold the loop for eighty handshakes.
      shakeHands(() => {
        for (const begin of beginHandshake) begin.call(server, socket);
      });
    });
    server.on("secureConnection", (socket) => {
      this.#handshakes.delete(nameOf(socket));
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
    });
    server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ERR_TLS_HANDSHAKE_TIMEOUT") this.count("handshakeTimeout");
      socket.destroy();
    });
  }

  #admit(socket: Socket): boolean {
    const peer = socket.remoteAddress ?? "";
    const refused = this.#refusal(peer);
    if (refused !== undefined) {
      this.count(refused);
      socket.destroy();
      return false;
    }
    const name = nameOf(socket);
    this.#accepted++;
    this.#total++;
    this.#perPeer.set(peer, (this.#perPeer.get(peer) ?? 0) + 1);
    this.#handshakes.set(name, socket);
    socket.once("close", () => this.#left(name, peer));
    if (this.#handshakes.size > this.#limits.handshakesMax) this.#cutOldestHandshake();
    return true;
  }

  #refusal(peer: string): CutReason | undefined {
    if (this.#total >= this.#limits.connectionsMax) return "total";
    if ((this.#perPeer.get(peer) ?? 0) >= this.#limits.connectionsPerPeerMax) return "peer";
    return undefined;
  }

  /** Who has begun longest ago is least likely to mean it. */
  #cutOldestHandshake(): void {
    const [oldest] = this.#handshakes;
    if (oldest === undefined) return;
    this.count("handshakes");
    this.#handshakes.delete(oldest[0]);
    oldest[1].destroy();
  }

  #left(name: string, peer: string): void {
    this.#total--;
    this.#handshakes.delete(name);
    const left = (this.#perPeer.get(peer) ?? 1) - 1;
    if (left === 0) this.#perPeer.delete(peer);
    else this.#perPeer.set(peer, left);
  }
}

function nameOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
