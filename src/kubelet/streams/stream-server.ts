// What the simulated nodes of a process serve to the API server: logs and processes of their containers. It knows the
// pods as the server has them, through a view of its own, and keeps nothing but the files that were written.
import { internalError, notFound, unknownError } from "../../api/meta/errors.ts";
import {
  type Connection,
  type ContainerTarget,
  KubeletRefusal,
  KubeletUnreachable,
  type LogOptions,
  type NodeStreams,
  type PodTarget,
  type PortSession,
  type ProcessSession,
  type ProcessStreams,
  noNodeStreams,
} from "../../api/node-streams.ts";
import type { Container, Node, Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { AbortedError, abortable } from "../../client/waiting.ts";
import type { Cancel, Host } from "../../host/host.ts";
import type { ClientSignal, BodyStream } from "../../host/http.ts";
import type { Informer } from "../../informer/informer.ts";
import { annotations, internalAddress, isSimulated } from "../node-object.ts";
import { ContainerFiles } from "./container-files.ts";
import { shellOf } from "./container-shell.ts";
import { type Run, findContainer, runToRead, statusOf, timeOf } from "./container-state.ts";
import type { FileTree } from "./file-tree.ts";
import { type LogSource, writeLog } from "./log-writer.ts";
import { answerOf, refusedText } from "./pod-port.ts";
import { serveConnection } from "./port-server.ts";
import { PodWatch } from "./pod-watch.ts";
import { runProcess } from "./process-runner.ts";
import type { Running } from "./shell-effect.ts";

export interface StreamGround {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  /** Somebody typed into the container's own process until it ended. */
  readonly onExit: (target: ContainerTarget, uid: string, exitCode: number) => void;
}

/** As a process that SIGKILL ended. */
const killedCode = 137;
const kubeletPort = 10_250;

interface Found {
  readonly pod: Readonly<Served<Pod>>;
  readonly container: Container;
}

interface Attended {
  readonly found: Found;
  readonly run: Run;
  /** What a process is said to have exited with when its container ended first. */
  readonly cutCode: number;
}

export class StreamServer implements NodeStreams {
  readonly #host: Host;
  readonly #ground: StreamGround;
  readonly #pods: PodWatch;
  readonly #files = new ContainerFiles();
  readonly #stopping = new AbortController();
  readonly #stopForgetting: Cancel;

  constructor(host: Host, ground: StreamGround) {
    this.#host = host;
    this.#ground = ground;
    this.#pods = new PodWatch(ground.pods);
    this.#stopForgetting = ground.pods.addHandler(({ type, object }) => {
      if (type === "deleted") this.#files.forgetPod(object.metadata.uid);
    });
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stopping.abort();
    this.#pods.close();
    this.#stopForgetting();
  }

  logs(target: ContainerTarget, options: LogOptions): BodyStream {
    const { node, namespace, pod: name, container: of } = target;
    this.#requireNode(node, `containerLogs/${namespace}/${name}/${of}`, () =>
      noNodeStreams.logs(target, options),
    );
    const source = this.#logSource(target, options.previous);
    return async (sink) => {
      const { signal, leave } = this.#whileWanted(sink.signal);
      try {
        await writeLog(this.#host.clock, source, {
          options,
          signal,
          write: (_stream, bytes) => sink.write(bytes),
        });
      } finally {
        leave();
      }
    };
  }

  exec(target: ContainerTarget, command: readonly string[]): ProcessSession {
    const { node, namespace, pod: name, container: of } = target;
    this.#requireNode(node, `exec/${namespace}/${name}/${of}`, () =>
      noNodeStreams.exec(target, command),
    );
    const found = this.#findRunning(target, `container not found ("${of}")`);
    const run = this.#runOf(found.pod, target.container);
    return this.#session(target, { found, run, cutCode: killedCode }, (streams) => {
      const files = this.#filesOf(found, run);
      const script = shellOf(found.pod, found.container, files).command(command, streams.tty);
      if (script === undefined) throw notExecutable(command[0] ?? "");
      return runProcess(this.#host, script, streams);
    });
  }

  attach(target: ContainerTarget): ProcessSession {
    const { node, namespace, pod: name, container: of } = target;
    this.#requireNode(node, `attach/${namespace}/${name}/${of}`, () =>
      noNodeStreams.attach(target),
    );
    const found = this.#findRunning(
      target,
      `container ${of} not found in pod ${name}_${namespace}`,
    );
    const run = this.#runOf(found.pod, target.container);
    return this.#session(target, { found, run, cutCode: 0 }, (streams) => {
      const script =
        streams.stdin === undefined
          ? undefined
          : mainShell(found, this.#filesOf(found, run), streams.tty);
      return script === undefined
        ? this.#watchOutput(target, streams)
        : this.#typeInto(target, found, { script, streams });
    });
  }

  portForward(target: PodTarget): PortSession {
    const { node, namespace, pod: name } = target;
    this.#requireNode(node, `portForward/${namespace}/${name}`, () =>
      noNodeStreams.portForward(target),
    );
    if (this.#pods.find(target) === undefined)
      throw notFound({ group: "", resource: "pods" }, name);
    return (port, connection) => this.#connect(target, port, connection);
  }

  /* ---- what there is ---- */

  #requireNode(name: string, path: string, refuse: () => unknown): void {
    const node = this.#ground.nodes.lister.find(name);
    if (node === undefined || !isSimulated(node)) return void refuse();
    const said = node.metadata.annotations ?? {};
    if (said[annotations.power] !== "off" && said[annotations.network] !== "cut") return;
    const address = `${internalAddress(node)}:${kubeletPort}`;
    throw new KubeletUnreachable(
      `https://${address}/${path}`,
      `dial tcp ${address}: connect: no route to host`,
    );
  }

  #find(target: ContainerTarget): Found {
    const pod = this.#pods.find(target);
    const container = pod === undefined ? undefined : findContainer(pod, target.container);
    if (pod === undefined || container === undefined)
      throw notFound({ group: "", resource: "pods" }, target.pod);
    return { pod, container };
  }

  #findRunning(target: ContainerTarget, otherwise: string): Found {
    const found = this.#find(target);
    if (statusOf(found.pod, target.container)?.state?.running === undefined)
      throw new KubeletRefusal(otherwise);
    return found;
  }

  #runOf(pod: Pod, container: string): Run {
    const running = statusOf(pod, container)?.state?.running;
    return { startedAt: timeOf(running?.startedAt), endedAt: undefined };
  }

  #filesOf({ pod, container }: Found, { startedAt }: Run): FileTree {
    return this.#files.of(pod, container, startedAt);
  }

  #logSource(target: ContainerTarget, previous: boolean): LogSource {
    const { pod, container } = this.#find(target);
    const run = runToRead(pod, target.container, previous);
    return {
      pod,
      container,
      run,
      isRunning: () => this.#pods.isRunning(target, pod.metadata.uid, run),
      listen: (listener) => this.#pods.listen(target, listener),
    };
  }

  /* ---- processes ---- */

  #session(
    target: ContainerTarget,
    { found, run, cutCode }: Attended,
    start: (streams: ProcessStreams) => Promise<number>,
  ): ProcessSession {
    const attended = { uid: found.pod.metadata.uid, run };
    return (streams) =>
      this.#whileRunning(target, attended, {
        listener: streams.signal,
        work: (signal) => start({ ...streams, signal }),
        cut: cutCode,
      });
  }

  /** Until the container ends, as a connection to its process would. */
  async #connect(target: PodTarget, port: number, connection: Connection): Promise<void> {
    const pod = this.#pods.find(target);
    if (pod === undefined) throw notFound({ group: "", resource: "pods" }, target.pod);
    const answer = answerOf(pod, port);
    if (answer === undefined) throw unknownError(refusedText(pod, port));
    const listening = { ...target, container: answer.container };
    const run = this.#runOf(pod, answer.container);
    const attended = { uid: pod.metadata.uid, run };
    await this.#whileRunning(listening, attended, {
      listener: connection.signal,
      work: (signal) => serveConnection({ ...connection, signal }, answer),
      cut: undefined,
    });
  }

  /** Work that ends, with `cut` for a result, when the container does. */
  async #whileRunning<T>(
    target: ContainerTarget,
    { uid, run }: { readonly uid: string; readonly run: Run },
    {
      listener,
      work,
      cut,
    }: {
      readonly listener: ClientSignal;
      readonly work: (signal: AbortSignal) => Promise<T>;
      readonly cut: T;
    },
  ): Promise<T> {
    const { signal, leave, end } = this.#whileWanted(listener);
    const stopListening = this.#pods.listen(target, () => {
      if (!this.#pods.isRunning(target, uid, run)) end();
    });
    try {
      return await abortable(work(signal), signal);
    } catch (error) {
      // The container or its node ended, not the listener.
      if (error instanceof AbortedError && !listener.aborted) return cut;
      throw error;
    } finally {
      stopListening();
      leave();
    }
  }

  /** The shell that is typed into is the container's own process: when it exits, so does the container. */
  async #typeInto(
    target: ContainerTarget,
    { pod }: Found,
    { script, streams }: { readonly script: Running; readonly streams: ProcessStreams },
  ): Promise<number> {
    const code = await runProcess(this.#host, script, streams);
    this.#ground.onExit(target, pod.metadata.uid, code);
    // The pod tells the code; to have been attached is a success.
    return 0;
  }

  /** What the container's own process writes from now on. */
  async #watchOutput(target: ContainerTarget, streams: ProcessStreams): Promise<number> {
    await writeLog(this.#host.clock, this.#logSource(target, false), {
      options: attachOptions,
      signal: streams.signal,
      write: (stream, bytes) =>
        stream === "Stderr" ? streams.stderr(bytes) : streams.stdout(bytes),
    });
    return 0;
  }

  /** Ends when the listener leaves or the nodes stop. */
  #whileWanted(listener: ClientSignal): {
    readonly signal: AbortSignal;
    readonly end: () => void;
    readonly leave: () => void;
  } {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const signals = [listener, this.#stopping.signal];
    for (const signal of signals) {
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
    }
    const leave = (): void => {
      for (const signal of signals) signal.removeEventListener("abort", end);
    };
    return { signal: ending.signal, end, leave };
  }
}

const attachOptions: LogOptions = {
  follow: true,
  previous: false,
  timestamps: false,
  since: undefined,
  tailLines: 0,
  limitBytes: undefined,
  stream: "All",
};

/** A container that was made to be typed into runs a shell, as `kubectl run -it` starts it. */
function mainShell({ pod, container }: Found, files: FileTree, tty: boolean): Running | undefined {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  const isShell = words.length === 0 || /^(\/bin\/)?(ba|a|da)?sh$/.test(words[0]!);
  return container.stdin === true && isShell && !words.includes("-c")
    ? shellOf(pod, container, files).command(["sh"], tty)
    : undefined;
}

function notExecutable(program: string): Error {
  const what = `exec: "${program}": executable file not found in $PATH`;
  return internalError(
    `error executing command in container: failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: ${what}`,
  );
}
