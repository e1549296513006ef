// A process under a supervisor, as a static pod under its kubelet: it starts, it dies, it is started again after a while
// that grows with every death and is forgiven after a quiet time.
import type { Host } from "../../host/host.ts";
import { KilledError } from "./processor.ts";
import type { Machine, Tenant } from "./machine.ts";

export interface SupervisorLaw {
  /** From the decision to run it until its code runs: container start, linking, flags. */
  readonly startMs: number;
  /** Before the first restart; doubled by each death, up to `backoffMsMax`. */
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /** A life this long resets the back-off. */
  readonly forgivenAfterMs: number;
  /** Memory of the process before it does anything. */
  readonly baseBytes: number;
}

/** The kubelet's: 10 s doubling to 5 min, reset after 10 min (kubernetes/pkg/kubelet/kuberuntime). */
export const kubeletBackoff = {
  backoffMs: 10_000,
  backoffMsMax: 300_000,
  forgivenAfterMs: 600_000,
} as const;

/** What a process does between birth and death. */
export interface Program {
  /** Its life began; whatever it awaits must end when `life.signal` is aborted. Resolves when it is in service. */
  start(life: Life): Promise<void>;
  /** It is dead already: let go of everything. */
  end(): void;
}

/** Bound to one life: work for a dead process is refused with KilledError. */
export interface Life {
  readonly signal: AbortSignal;
  /** Resolves when the machine has worked `cpuMs` for it. */
  work(cpuMs: number): Promise<void>;
  /** Takes memory until the returned function is called, or it dies. */
  hold(bytes: number): () => void;
}

export interface Death {
  readonly atMs: number;
  readonly why: string;
}

const deathsKept = 1_000;

export class Process implements Tenant {
  readonly name: string;
  readonly machine: Machine;
  readonly #host: Host;
  readonly #law: SupervisorLaw;
  readonly #program: Program;
  readonly deaths: Death[] = [];
  #life: AbortController | undefined;
  #bornAt = 0;
  #backoffMs: number;
  #inService = false;
  #wanted = false;

  constructor(
    host: Host,
    machine: Machine,
    parts: { readonly name: string; readonly law: SupervisorLaw; readonly program: Program },
  ) {
    this.#host = host;
    this.machine = machine;
    this.name = parts.name;
    this.#law = parts.law;
    this.#program = parts.program;
    this.#backoffMs = parts.law.backoffMs;
  }

  /** It lives and has finished starting. */
  get inService(): boolean {
    return this.#inService;
  }

  get alive(): boolean {
    return this.#life !== undefined;
  }

  get bytes(): number {
    return this.machine.memory.of(this.name);
  }

  /** Keeps it running from now on. */
  start(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#launchAfter(0);
  }

  /** Ends it and starts it again at once, as an upgrade does. */
  restart(why: string): void {
    this.#die(why);
    if (this.#wanted) this.#launchAfter(0);
  }

  /** Ends it for good. */
  stop(why: string): void {
    this.#wanted = false;
    this.#die(why);
  }

  /** By the kernel or a failed probe: the supervisor starts it again after its back-off. */
  killed(why: string): void {
    const lived = this.#host.clock.monotonic() - this.#bornAt;
    if (!this.#die(why) || !this.#wanted) return;
    if (lived >= this.#law.forgivenAfterMs) this.#backoffMs = this.#law.backoffMs;
    this.#launchAfter(this.#backoffMs);
    this.#backoffMs = Math.min(this.#law.backoffMsMax, 2 * this.#backoffMs);
  }

  #die(why: string): boolean {
    const life = this.#life;
    if (life === undefined) return false;
    this.#life = undefined;
    this.#inService = false;
    this.deaths.push({ atMs: this.#host.clock.now(), why });
    if (this.deaths.length > deathsKept) this.deaths.shift();
    life.abort(new KilledError(`${this.name}: ${why}`));
    this.machine.leave(this);
    this.#program.end();
    return true;
  }

  #launchAfter(ms: number): void {
    this.#host.clock.after(ms + this.#law.startMs, () => void this.#launch());
  }

  async #launch(): Promise<void> {
    if (!this.#wanted || this.alive) return;
    const controller = new AbortController();
    this.#life = controller;
    this.#bornAt = this.#host.clock.monotonic();
    this.machine.enter(this);
    this.machine.take(this.name, this.#law.baseBytes);
    if (controller.signal.aborted) return;
    try {
      await this.#program.start(this.#lifeOf(controller.signal));
      if (this.#life === controller) this.#inService = true;
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#host.log.warn("process failed to start", { process: this.name, error: String(error) });
      this.killed("Error");
    }
  }

  #lifeOf(signal: AbortSignal): Life {
    return {
      signal,
      work: (cpuMs) => {
        if (signal.aborted) return Promise.reject(signal.reason as KilledError);
        return this.machine.processor.run(this.name, cpuMs);
      },
      hold: (bytes) => {
        if (signal.aborted) return () => undefined;
        let held = true;
        this.machine.take(this.name, bytes);
        return () => {
          if (!held || signal.aborted) return;
          held = false;
          this.machine.memory.give(this.name, bytes);
        };
      },
    };
  }
}
