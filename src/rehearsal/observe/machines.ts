// Memory, cores and deaths of the control plane's machines.
import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import type { World } from "../world/world.ts";
import type { Observation } from "./observation.ts";
import type { Gauge } from "./recorder.ts";

export function observeMachines(world: World): Observation {
  const etcd = new ProcessWatch(world.etcd.members.map(({ process }) => process));
  const servers = new ProcessWatch(world.servers.map(({ process }) => process));
  const { full, bytes } = world.etcd.ranges;
  return {
    gauges: [
      ...etcd.gauges("Memory of etcd"),
      ...servers.gauges("Memory of the API servers"),
      ...world.machines.map(cpuGauge),
    ],
    figures: () => ({
      ...etcd.figures("etcd"),
      ...servers.figures("apiserver"),
      "masters.down": world.machines.filter(
        (machine) => etcd.diedOn(machine) || servers.diedOn(machine),
      ).length,
      "etcd.ranges.full": world.etcd.ranges.full - full,
      "etcd.ranges.bytes": world.etcd.ranges.bytes - bytes,
      "etcd.ranges.peak": world.etcd.ranges.fullPeak,
    }),
  };
}

class ProcessWatch {
  readonly #processes: readonly Process[];
  readonly #base: number;
  readonly #deathsBefore: ReadonlyMap<Process, number>;
  readonly #peaks = new Map<Process, number>();

  constructor(processes: readonly Process[]) {
    this.#processes = processes;
    this.#base = Math.max(...processes.map((process) => process.bytes));
    this.#deathsBefore = new Map(processes.map((process) => [process, violentDeaths(process)]));
    for (const process of processes) process.machine.memory.takePeak(process.name);
  }

  gauges(chart: string): readonly Gauge[] {
    return this.#processes.map((process) => ({
      chart,
      name: process.machine.name,
      unit: "bytes" as const,
      kind: "asIs" as const,
      read: () => this.#peakOf(process),
    }));
  }

  figures(prefix: string): Readonly<Record<string, number>> {
    const peak = Math.max(...this.#processes.map((process) => this.#mostOf(process)));
    const deaths = this.#processes.reduce((sum, process) => sum + this.#deathsOf(process), 0);
    return {
      [`${prefix}.memory.base`]: this.#base,
      [`${prefix}.memory.peak`]: peak,
      [`${prefix}.memory.ratio`]: this.#base === 0 ? 0 : peak / this.#base,
      [`${prefix}.deaths`]: deaths,
    };
  }

  diedOn(machine: Machine): boolean {
    return this.#processes.some(
      (process) => process.machine === machine && this.#deathsOf(process) > 0,
    );
  }

  #deathsOf(process: Process): number {
    return violentDeaths(process) - (this.#deathsBefore.get(process) ?? 0);
  }

  /** Since it was last read, so that no peak falls between two samples. */
  #peakOf(process: Process): number {
    const peak = process.machine.memory.takePeak(process.name);
    this.#peaks.set(process, Math.max(peak, this.#peaks.get(process) ?? 0));
    return peak;
  }

  #mostOf(process: Process): number {
    this.#peakOf(process);
    return this.#peaks.get(process) ?? 0;
  }
}

function cpuGauge(machine: Machine): Gauge {
  const perSecond = 1 / (1_000 * machine.processor.cores);
  return {
    chart: "Cores in use",
    name: machine.name,
    unit: "share",
    kind: "growth",
    read: () => machine.processor.busyMs * perSecond,
  };
}

function violentDeaths({ deaths }: Process): number {
  return deaths.filter(({ violent }) => violent).length;
}
