// What a walk through one value carries: where it is, and what it has to say. Go's decoder keeps the first wrong type
// it meets, goes on, and reports it at the end unless something worse comes; so do we.
import { DecodeError, type FieldProblem } from "./decode-error.ts";

/** At most this many problems are reported, as upstream. */
const problemsMax = 100;

/** A struct's field, an index of a list, the key of a map, or a field that came by way of embedded structs. */
export type PathStep = string | number | { readonly key: string } | EmbeddedStep;

export interface EmbeddedStep {
  readonly name: string;
  /** Wrong types are reported with the structs on the way, unknown fields without. */
  readonly goPath: string;
}

export interface WalkOptions {
  readonly report?: ((problem: FieldProblem) => void) | undefined;
  /** From parseJsonTracked; objects that repeat keys. */
  readonly duplicates?: ReadonlyMap<object, readonly string[]> | undefined;
}

export class Walk {
  /** Go's name of the innermost struct; "" outside any. */
  struct = "";
  /** > 0 inside values whose own unmarshaller upstream ignores unknown fields. */
  muted = 0;
  readonly duplicates: ReadonlyMap<object, readonly string[]> | undefined;
  private readonly report: ((problem: FieldProblem) => void) | undefined;
  private readonly steps: PathStep[] = [];
  private readonly seen = new Set<string>();
  private firstError: DecodeError | undefined;

  constructor(options: WalkOptions) {
    this.report = options.report;
    this.duplicates = options.duplicates;
  }

  enter(step: PathStep): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  unknown(name: string): void {
    this.problem("unknown", name);
  }

  duplicate(name: string): void {
    this.problem("duplicate", name);
  }

  /** Notes that `value` cannot be read as `goType` and yields nothing. */
  mismatch(value: unknown, goType: string): undefined {
    this.note(new DecodeError(this.mismatchText(describe(value), goType)));
  }

  /** Like mismatch, for upstream's own unmarshallers, which give up at once. */
  refuse(value: unknown, goType: string): never {
    throw new DecodeError(this.mismatchText(describe(value), goType));
  }

  /** A number that the type does not hold: Go names the number. */
  unfit(value: number | bigint, goType: string): undefined {
    this.note(this.unfitError(value, goType));
  }

  unfitError(value: number | bigint, goType: string): DecodeError {
    return new DecodeError(this.mismatchText(`number ${value}`, goType));
  }

  /** Keeps the first error. */
  note(error: DecodeError): undefined {
    this.firstError ??= error;
  }

  /** Throws what was noted. */
  finish(): void {
    if (this.firstError !== undefined) throw this.firstError;
  }

  private mismatchText(what: string, goType: string): string {
    if (this.struct === "") return `json: cannot unmarshal ${what} into Go value of type ${goType}`;
    const field = this.steps
      .map(goStep)
      .filter((name) => name !== undefined)
      .join(".");
    return `json: cannot unmarshal ${what} into Go struct field ${this.struct}.${field} of type ${goType}`;
  }

  private problem(kind: FieldProblem["kind"], name: string): void {
    if (this.report === undefined || this.muted > 0 || this.seen.size >= problemsMax) return;
    const path = pathText([...this.steps, name]);
    const mark = `${kind} ${path}`;
    if (this.seen.has(mark)) return;
    this.seen.add(mark);
    this.report({ kind, path });
  }
}

function pathText(steps: readonly PathStep[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${stepName(step)}`;
  }
  return text;
}

function stepName(step: Exclude<PathStep, number>): string {
  if (typeof step === "string") return step;
  return "key" in step ? step.key : step.name;
}

/** What Go says of a step when a type is wrong: indexes and keys are not named. */
function goStep(step: PathStep): string | undefined {
  if (typeof step === "string") return step;
  return typeof step === "object" && "goPath" in step ? step.goPath : undefined;
}

/** Go's word for a JSON value. */
function describe(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "number";
  if (Array.isArray(value)) return "array";
  return typeof value;
}
