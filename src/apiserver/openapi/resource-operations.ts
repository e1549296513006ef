// Operations that resources and their subresources have alike: read, replace, patch, and writes in general.
import type { ResourceSchema } from "../../api/schema/schema.ts";
import { anyMediaType, objectMediaTypes, patchMediaTypes } from "./media-types.ts";
import type { Answer, Operation, Parameter } from "./operation.ts";
import { groupVersionTag, groupVersionWord } from "./operation-name.ts";
import { namespaceParameter, type Parameters } from "./parameters.ts";

/** What every operation of a resource needs to know. */
export interface Context {
  readonly resource: ResourceSchema;
  readonly parameters: Parameters;
  /** `CoreV1`. */
  readonly groupVersion: string;
  /** `NamespacedPod` or `Node`. */
  readonly scopedKind: string;
  readonly tag: string;
  readonly root: string;
  /** Path of the collection in its scope. */
  readonly collection: string;
  /** Path parameters of the collection. */
  readonly scope: readonly Parameter[];
}

export function contextOf(resource: ResourceSchema, parameters: Parameters): Context {
  const root = groupVersionRoot(resource);
  const { namespaced } = resource;
  return {
    resource,
    parameters,
    groupVersion: groupVersionWord(resource),
    scopedKind: namespaced ? `Namespaced${resource.kind}` : resource.kind,
    tag: groupVersionTag(resource),
    root,
    collection: namespaced
      ? `${root}/namespaces/{namespace}/${resource.resource}`
      : `${root}/${resource.resource}`,
    scope: namespaced ? [namespaceParameter] : [],
  };
}

/** `/api/v1`, `/apis/apps/v1`. */
export function groupVersionRoot({ group, version }: { group: string; version: string }): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

export interface ObjectTarget {
  readonly verbs: readonly string[];
  readonly type: string;
  /** Ends the operation ids. */
  readonly id: string;
  /** Words for the descriptions. */
  readonly of: string;
}

/** Read, replace and patch, as far as the target has them. */
export function objectOperations(context: Context, target: ObjectTarget): Operation[] {
  const operations: Operation[] = [];
  if (target.verbs.includes("get")) operations.push(readOperation(context, target));
  if (target.verbs.includes("update"))
    operations.push(
      writeOperation(context, {
        method: "put",
        id: `replace${context.groupVersion}${target.id}`,
        description: `replace the specified ${target.of}`,
        parameters: context.parameters.update,
        codes: [200, 201],
        type: target.type,
      }),
    );
  if (target.verbs.includes("patch"))
    operations.push({
      ...writeOperation(context, {
        method: "patch",
        id: `patch${context.groupVersion}${target.id}`,
        description: `partially update the specified ${target.of}`,
        parameters: context.parameters.patch,
        codes: [200, 201],
        type: target.type,
      }),
      body: { type: "meta.v1.Patch", required: true, mediaTypes: patchMediaTypes },
    });
  return operations;
}

function readOperation(context: Context, target: ObjectTarget): Operation {
  return {
    ...identity(context),
    method: "get",
    id: `read${context.groupVersion}${target.id}`,
    description: `read the specified ${target.of}`,
    action: "get",
    parameters: [],
    answers: answersOf([200], target.type),
    produces: objectMediaTypes,
  };
}

export interface Write {
  readonly method: "post" | "put" | "patch";
  readonly id: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly codes: readonly Answer["code"][];
  /** Definition id of what is sent and answered. */
  readonly type: string;
}

export function writeOperation(context: Context, write: Write): Operation {
  const { method, id, description, parameters, codes, type } = write;
  return {
    ...identity(context),
    method,
    id,
    description,
    action: method,
    parameters,
    body: { type, required: true, mediaTypes: anyMediaType },
    answers: answersOf(codes, type),
    produces: objectMediaTypes,
  };
}

export function answersOf(codes: readonly Answer["code"][], type: string | undefined): Answer[] {
  return codes.map((code) => ({ code, type }));
}

/** Whose operation it is. */
export function identity({ resource, tag }: Context): Pick<Operation, "tag" | "kind"> {
  const { group, version, kind } = resource;
  return { tag, kind: { group, version, kind } };
}

/** `a Pod`, `an Event`. */
export function article(kind: string): string {
  return /^[AEIO]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
