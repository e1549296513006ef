// What a kubelet serves to the API server, as a seam between the towers: the server asks for it after its own checks
// (apiserver/streams), simulated nodes answer (kubelet/streams), cluster/ joins the two. Knows no wire.
import type { ClientSignal, BodyStream } from "../host/http.ts";
import { serviceUnavailable } from "./meta/errors.ts";

export interface PodTarget {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
}

export interface ContainerTarget extends PodTarget {
  readonly container: string;
}

export interface LogOptions {
  /** Go on until the container ends. */
  readonly follow: boolean;
  /** Of the run before this one. */
  readonly previous: boolean;
  /** Each line begins with its time. */
  readonly timestamps: boolean;
  /** Wall clock ms: only lines that are not older. */
  readonly since: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly stream: "All" | "Stdout" | "Stderr";
}

/** The standard streams of a process, and the end of whoever looks at them. */
export interface ProcessStreams {
  /** The next bytes of standard input; undefined at its end. Absent: the process has none. One call at a time. */
  readonly stdin?: () => Promise<Uint8Array | undefined>;
  /** Resolves when more may come; rejects when nobody listens any more. One call at a time. */
  readonly stdout: (bytes: Uint8Array) => Promise<void>;
  readonly stderr: (bytes: Uint8Array) => Promise<void>;
  readonly tty: boolean;
  /** Aborted when the client is gone or the server shuts down. */
  readonly signal: ClientSignal;
}

/** Runs to the end of the process or of its listener. Gives the exit code; a StatusError when there is none. */
export type ProcessSession = (streams: ProcessStreams) => Promise<number>;

/** One connection as whoever accepted it sees it. */
export interface Connection {
  /** The next bytes; undefined when the other side has sent all. One call at a time. */
  next(): Promise<Uint8Array | undefined>;
  /** Resolves when more may come; rejects when nobody listens any more. One call at a time. */
  write(bytes: Uint8Array): Promise<void>;
  /** Aborted when the client is gone or the server shuts down. */
  readonly signal: ClientSignal;
}

/** Serves a connection to the end. A StatusError says, in a kubelet's words, why there is none. */
export type PortSession = (port: number, connection: Connection) => Promise<void>;

/** What a kubelet answers instead of a process: a 500 with this text. */
export class KubeletRefusal extends Error {}

/** No connection to the kubelet; the message says which and why, as Go's dialer does. */
export class KubeletUnreachable extends Error {
  /** What was to be asked, without a query. */
  readonly url: string;

  constructor(url: string, why: string) {
    super(why);
    this.url = url;
  }
}

/**
 * Every method throws StatusError, worded as a kubelet does, when the container has nothing of the kind, and
 * KubeletUnreachable; `exec` and `attach` throw KubeletRefusal, too.
 */
export interface NodeStreams {
  logs(target: ContainerTarget, options: LogOptions): BodyStream;
  exec(target: ContainerTarget, command: readonly string[]): ProcessSession;
  attach(target: ContainerTarget): ProcessSession;
  portForward(target: PodTarget): PortSession;
}

/** A cluster in which no node serves anything. */
export const noNodeStreams: NodeStreams = {
  logs: noKubelet,
  exec: noKubelet,
  attach: noKubelet,
  portForward: noKubelet,
};

function noKubelet({ node }: PodTarget): never {
  throw serviceUnavailable(`no kubelet runs on node ${node}`);
}
