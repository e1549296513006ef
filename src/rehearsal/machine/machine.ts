// A declared machine: cores, memory, and the processes on it, of which the largest dies when memory runs out.
import type { Host } from "../../host/host.ts";
import { Memory } from "./memory.ts";
import { Processor } from "./processor.ts";

export interface MachineSize {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** One life of a process on its machine; everything it has dies with it. */
export interface Tenant {
  readonly name: string;
  /** The kernel chose it. Must give back its memory and end its work before it returns. */
  killed(why: string): void;
}

export class Machine {
  readonly name: string;
  readonly processor: Processor;
  readonly memory: Memory;
  readonly #host: Host;
  readonly #tenants = new Map<string, Tenant>();

  constructor(host: Host, name: string, size: MachineSize) {
    this.#host = host;
    this.name = name;
    this.processor = new Processor(host.clock, size.cores);
    this.memory = new Memory(size.memoryBytes);
  }

  enter(tenant: Tenant): void {
    this.#tenants.set(tenant.name, tenant);
  }

  leave(tenant: Tenant): void {
    this.#tenants.delete(tenant.name);
    this.memory.clear(tenant.name);
    this.processor.drop(tenant.name);
  }

  /** May kill, also the one who asks. */
  take(owner: string, bytes: number): void {
    this.memory.take(owner, bytes);
    while (this.memory.isOver) {
      const victim = this.#tenants.get(this.memory.largest() ?? "");
      if (victim === undefined) return;
      this.#host.log.warn("out of memory", { machine: this.name, killed: victim.name });
      victim.killed("OOMKilled");
    }
  }
}
