// The live configuration: FlowSchemas in the order of trying, priority levels with their queues. Objects come in as a
// whole at each change; what runs or waits stays where it is, and a level without an object goes when it is through
// (upstream: apf_controller.go, digestConfigObjects). No waiting here: time is handed in.
import {
  autoUpdateSpecAnnotation,
  flowSchemas,
  isMandatory,
  isSuggested,
  priorityLevels,
} from "../api/flow-control-objects.ts";
import type { FlowSchema, PriorityLevelConfiguration } from "../api/types/flowcontrol-v1.ts";
import { assert } from "../std/assert.ts";
import { LiveFlowSchema, type StatusWish, wishedStatus } from "./flow-schema.ts";
import { type Server, adjust, limitsOf, seatsMaxOf, sharesOf } from "./limits.ts";
import { comesBefore } from "./match.ts";
import { type LevelObject, PriorityLevel, isSound, shapeOf } from "./priority-level.ts";
import type { FlowControlProfile } from "./profile.ts";
import type { DispatchSink, QueueSetShape } from "./queue-set.ts";
import type { RequestDigest } from "./request-digest.ts";

export interface ConfigurationOptions {
  readonly profile: FlowControlProfile;
  readonly seats: number;
}

/** What the mandatory objects say does not depend on the minor. */
const anyMinor = 36;

export class Configuration {
  readonly #options: ConfigurationOptions;
  readonly #dispatched: DispatchSink;
  #levels: Map<string, PriorityLevel> = new Map();
  #schemas: readonly LiveFlowSchema[] = [];
  #objects: {
    readonly levels: readonly PriorityLevelConfiguration[];
    readonly schemas: readonly FlowSchema[];
  } = { levels: [], schemas: [] };
  #fairFraction = 0;

  /** Begins with the mandatory objects alone. */
  constructor(options: ConfigurationOptions, now: number, dispatched: DispatchSink) {
    this.#options = options;
    this.#dispatched = dispatched;
    this.digest(now, [], []);
  }

  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#levels;
  }

  get fairFraction(): number {
    return this.#fairFraction;
  }

  /** Requests that could wait, and seats, of all levels together. */
  get totals(): { readonly waiting: number; readonly executing: number } {
    let waiting = 0;
    let executing = 0;
    for (const level of this.#levels.values()) {
      const { queues, lengthMax } = this.#shapeOf(level);
      waiting += Math.max(0, queues) * lengthMax;
      executing += level.limits.nominal;
    }
    return { waiting, executing };
  }

  /** The first that speaks of the request; the catch-all speaks of everybody whom nobody else wants. */
  classify(digest: RequestDigest): LiveFlowSchema {
    let catchAll: LiveFlowSchema | undefined;
    for (const schema of this.#schemas) {
      if (schema.matches(digest)) return schema;
      if (schema.name === "catch-all") catchAll = schema;
    }
    assert(catchAll !== undefined, "there is always a catch-all FlowSchema");
    return catchAll;
  }

  /** Which FlowSchemas have another status than they should. */
  digest(
    now: number,
    levels: readonly PriorityLevelConfiguration[],
    schemas: readonly FlowSchema[],
  ): readonly StatusWish[] {
    this.#objects = { levels, schemas };
    const wanted = this.#wantedLevels(now, levels.map(levelObjectOf));
    const isLive = (object: FlowSchema): boolean => wanted.has(levelNameOf(object));
    const wishes = schemas.flatMap((object) => wishedStatus(object, isLive(object)) ?? []);
    const live = schemas.filter(isLive).sort(comesBefore);
    this.#levels = this.#withBusyLevels(now, wanted);
    this.#schemas = withMandatory(live).map((object) => {
      const level = this.#levels.get(levelNameOf(object));
      assert(level !== undefined, "a FlowSchema in use has a level");
      return new LiveFlowSchema(object, level);
    });
    this.#setLimits();
    this.adjust(now);
    return wishes;
  }

  /** A level that only waited for its requests to end is idle. */
  reap(now: number): void {
    this.digest(now, this.#objects.levels, this.#objects.schemas);
  }

  /** Lends and borrows seats by what each level could have used lately. */
  adjust(now: number): void {
    const levels = [...this.#levels.values()];
    const adjustments = adjust(
      levels.map((level) => {
        const { highWatermark, smoothed } = level.queues.demand.endPeriod(now);
        const { limits, isExempt, current } = level;
        return { limits, isExempt, highWatermark, smoothed, current };
      }),
    );
    this.#fairFraction = adjustments.fairFraction;
    levels.forEach((level, i) => {
      const { current, target } = adjustments.levels[i]!;
      level.current = this.#options.profile.borrowing ? current : level.limits.nominal;
      level.target = target;
      level.queues.configure(now, this.#shapeOf(level));
    });
  }

  #shapeOf(level: PriorityLevel): QueueSetShape {
    return shapeOf(level, this.#options.profile);
  }

  #wantedLevels(now: number, objects: readonly LevelObject[]): Map<string, PriorityLevel> {
    const wanted = new Map<string, PriorityLevel>();
    for (const object of objects) {
      if (!isSound(object)) continue;
      const level = this.#levels.get(object.name) ?? this.#newLevel(object, now);
      level.object = object;
      level.isQuiescing = false;
      wanted.set(object.name, level);
    }
    return wanted;
  }

  #newLevel(object: LevelObject, now: number): PriorityLevel {
    return new PriorityLevel(object, now, this.#dispatched);
  }

  /** Mandatory levels hold also without an object; others without one stay while they have requests. */
  #withBusyLevels(
    now: number,
    wanted: ReadonlyMap<string, PriorityLevel>,
  ): Map<string, PriorityLevel> {
    const all = new Map(wanted);
    for (const [name, level] of this.#levels) {
      if (all.has(name) || (!isMandatory(name) && level.queues.isIdle)) continue;
      level.isQuiescing = !isMandatory(name);
      all.set(name, level);
    }
    for (const object of mandatoryLevels) {
      if (!all.has(object.name)) all.set(object.name, this.#newLevel(object, now));
    }
    return all;
  }

  #setLimits(): void {
    const levels = [...this.#levels.values()];
    const shares = levels.reduce((sum, { object }) => sum + sharesOf(object.spec), 0);
    const server: Server = { seats: this.#options.seats, shares };
    for (const level of levels) {
      level.limits = limitsOf(level.object.spec, server);
      level.seatsMax = seatsMaxOf(level.object.spec, level.limits.nominal);
      if (level.current === 0) level.current = level.limits.nominal;
    }
  }
}

const mandatoryLevels: readonly LevelObject[] = priorityLevels(anyMinor)
  .filter(({ metadata }) => isMandatory(metadata.name ?? ""))
  .map((object) => levelObjectOf(object as unknown as PriorityLevelConfiguration));

const mandatorySchemas: readonly FlowSchema[] = flowSchemas("", anyMinor)
  .filter(({ metadata }) => isMandatory(metadata.name ?? ""))
  .map((object) => object as unknown as FlowSchema);

/** Mandatory FlowSchemas hold also where nobody wrote them: first and last. */
function withMandatory(live: readonly FlowSchema[]): readonly FlowSchema[] {
  const missing = (name: string): readonly FlowSchema[] =>
    live.some(({ metadata }) => metadata.name === name)
      ? []
      : mandatorySchemas.filter(({ metadata }) => metadata.name === name);
  return [...missing("exempt"), ...live, ...missing("catch-all")];
}

function levelObjectOf({ metadata, spec }: PriorityLevelConfiguration): LevelObject {
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    spec: spec ?? { type: "" },
    isSuggested:
      isSuggested(metadata.name ?? "") &&
      metadata.annotations?.[autoUpdateSpecAnnotation] === "true",
  };
}

function levelNameOf({ spec }: FlowSchema): string {
  return spec?.priorityLevelConfiguration.name ?? "";
}
