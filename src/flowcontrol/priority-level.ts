// One priority level at work: its object, its queues, its limits. Changes only through FlowControl.
import type { PriorityLevelConfiguration } from "../api/types/flowcontrol-v1.ts";
import { FlowFigures } from "./figures.ts";
import type { SeatLimits } from "./limits.ts";
import type { FlowControlProfile } from "./profile.ts";
import { type DispatchSink, QueueSet, type QueueSetShape } from "./queue-set.ts";
import { RetryAfter } from "./retry-after.ts";

type Spec = NonNullable<PriorityLevelConfiguration["spec"]>;

export interface LevelObject {
  readonly name: string;
  readonly uid: string;
  readonly spec: Spec;
  /** One of those that a server starts with, as it was made. */
  readonly isSuggested: boolean;
}

export class PriorityLevel {
  object: LevelObject;
  limits: SeatLimits = { nominal: 0, lower: 0, upper: 0 };
  /** Seats it may use now. */
  current = 0;
  target = 0;
  /** Widest that a request may be; 0: no word on it. */
  seatsMax = 0;
  /** Its object is gone; it goes too when its requests are through. */
  isQuiescing = false;
  readonly queues: QueueSet;
  readonly retryAfter: RetryAfter = new RetryAfter();
  /** By FlowSchema. */
  readonly figures: Map<string, FlowFigures> = new Map();

  constructor(object: LevelObject, now: number, dispatched: DispatchSink) {
    this.object = object;
    this.queues = new QueueSet(now, dispatched);
  }

  get name(): string {
    return this.object.name;
  }

  get isExempt(): boolean {
    return this.object.spec.type === "Exempt";
  }

  figuresOf(schema: string): FlowFigures {
    const known = this.figures.get(schema);
    if (known !== undefined) return known;
    const made = new FlowFigures(this.name, schema);
    this.figures.set(schema, made);
    return made;
  }
}

export function shapeOf(
  { object, current }: PriorityLevel,
  { suggestedQueues, expectedDuration }: FlowControlProfile,
): QueueSetShape {
  const alike = { limit: current, learns: expectedDuration === "Learned" };
  if (object.spec.type === "Exempt") return { ...alike, queues: -1, lengthMax: 0 };
  const queuing = object.spec.limited?.limitResponse?.queuing;
  if (queuing === undefined) return { ...alike, queues: 0, lengthMax: 0 };
  // An administrator's own objects mean what they say.
  const factor = object.isSuggested ? suggestedQueues.lengthFactor : 1;
  return { ...alike, queues: queuing.queues, lengthMax: queuing.queueLengthLimit * factor };
}

/** A level whose spec contradicts itself is treated as if it were not there. */
export function isSound({ name, spec }: LevelObject): boolean {
  const { type, limited, exempt } = spec;
  if ((type === "Limited") !== (limited !== undefined)) return false;
  if ((type === "Exempt") !== (exempt !== undefined)) return false;
  if ((type === "Exempt") !== (name === "exempt")) return false;
  if (limited === undefined) return true;
  const response = limited.limitResponse;
  if ((response?.type === "Reject") !== (response?.queuing === undefined)) return false;
  const queuing = response?.queuing;
  return queuing === undefined || (queuing.handSize > 0 && queuing.handSize <= queuing.queues);
}
