// One operation of the API, told without regard to the version of OpenAPI. resource-paths.ts and server-paths.ts make
// them; v2.ts and v3.ts write them down.
import type { GroupVersionKind } from "../../api/schema/schema.ts";

export type Method = "get" | "put" | "post" | "delete" | "options" | "head" | "patch";

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "integer" | "boolean";
  readonly description?: string;
}

export interface Answer {
  readonly code: 200 | 201 | 202;
  /** Id of a definition; undefined when the body is plain text. */
  readonly type: string | undefined;
}

export const answerWords: Readonly<Record<Answer["code"], string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
};

export interface Body {
  /** Id of a definition. */
  readonly type: string;
  readonly required: boolean;
  readonly mediaTypes: readonly string[];
}

export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly description: string;
  readonly tag: string;
  /** `x-kubernetes-action`. */
  readonly action?: string;
  /** Kind of the objects it deals with, for kubectl to find it by. */
  readonly kind?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly answers: readonly Answer[];
  /** Media types of the answers. */
  readonly produces: readonly string[];
}

export interface Path {
  readonly path: string;
  /** Those that all of its operations have. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}
