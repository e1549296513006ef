// A FlowSchema made ready for requests: its rules, its level, and how it tells flows apart.
import { danglingCondition } from "../api/flow-control-objects.ts";
import type {
  FlowSchema,
  FlowSchemaCondition,
  PolicyRulesWithSubjects,
} from "../api/types/flowcontrol-v1.ts";
import type { Digest } from "../host/host.ts";
import { BoundedMap } from "../std/bounded-map.ts";
import { dealHand, hashOfFlow } from "./dealer.ts";
import type { FlowFigures } from "./figures.ts";
import type { Flow } from "./flow-pass.ts";
import { matchesFlowSchema } from "./match.ts";
import type { PriorityLevel } from "./priority-level.ts";
import type { RequestDigest } from "./request-digest.ts";

/** Flows whose hand is remembered; dealing anew costs a hash. */
const handsMax = 16_384;
const noHand: readonly number[] = [];

export class LiveFlowSchema {
  readonly name: string;
  /** What requests are told of it. */
  readonly flow: Flow;
  readonly level: PriorityLevel;
  readonly figures: FlowFigures;
  readonly #rules: readonly PolicyRulesWithSubjects[];
  readonly #distinguisher: string | undefined;
  readonly #hands = new BoundedMap<readonly number[]>(handsMax);

  constructor(object: FlowSchema, level: PriorityLevel) {
    this.name = object.metadata.name ?? "";
    this.flow = {
      schema: this.name,
      level: level.name,
      schemaUid: object.metadata.uid ?? "",
      levelUid: level.object.uid,
    };
    this.level = level;
    this.figures = level.figuresOf(this.name);
    this.#rules = object.spec?.rules ?? [];
    this.#distinguisher = object.spec?.distinguisherMethod?.type;
  }

  matches(digest: RequestDigest): boolean {
    return matchesFlowSchema(this.#rules, digest);
  }

  /** What tells the request's flow from others of the schema; "" where nothing does, or where there is nothing to share. */
  distinguisherOf({ user, namespace }: RequestDigest): string {
    if (this.#queues <= 1) return "";
    if (this.#distinguisher === "ByUser") return user.name;
    return this.#distinguisher === "ByNamespace" ? namespace : "";
  }

  handOf(digest: Digest, distinguisher: string): readonly number[] {
    const queues = this.#queues;
    if (queues < 1) return noHand;
    const known = this.#hands.get(distinguisher);
    if (known !== undefined) return known;
    const hash = queues === 1 ? 0n : hashOfFlow(digest, this.name, distinguisher);
    const hand = dealHand(hash, queues, this.#handSize);
    this.#hands.set(distinguisher, hand);
    return hand;
  }

  get #queues(): number {
    return this.level.object.spec.limited?.limitResponse?.queuing?.queues ?? 0;
  }

  get #handSize(): number {
    return this.level.object.spec.limited?.limitResponse?.queuing?.handSize ?? 0;
  }
}

export interface StatusWish {
  readonly object: FlowSchema;
  readonly condition: FlowSchemaCondition;
}

/** What a FlowSchema's status should say and does not. */
export function wishedStatus(object: FlowSchema, found: boolean): StatusWish | undefined {
  const condition = danglingCondition(object.spec?.priorityLevelConfiguration.name ?? "", found);
  const said = object.status?.conditions?.find(({ type }) => type === "Dangling");
  const isSaid =
    said?.status === condition.status &&
    said?.reason === condition.reason &&
    said?.message === condition.message;
  return isSaid ? undefined : { object, condition };
}
