// Bad input in the words of Go's decoders. Whoever decodes decides which Status it becomes (body.ts, patches).
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** A field that strict decoding complains about. */
export interface FieldProblem {
  readonly kind: "unknown" | "duplicate";
  /** `spec.template.spec.containers[0].foo` */
  readonly path: string;
}

/** `unknown field "spec.foo"` */
export function problemText(problem: FieldProblem): string {
  return `${problem.kind} field ${JSON.stringify(problem.path)}`;
}
