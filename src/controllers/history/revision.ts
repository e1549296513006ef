// The pod templates that a StatefulSet or DaemonSet has had, each kept in a ControllerRevision as the patch that brings
// it back (upstream: pkg/controller/history/controller_history.go). Pure.
import type { ControllerRevision } from "../../api/types/apps-v1.ts";
import type { PodTemplateSpec } from "../../api/types/core-v1.ts";
import { semanticallyEqual } from "../../api/validation/semantic-equality.ts";
import type { ApiObject, Served } from "../../client/served-object.ts";
import { controllerRefTo } from "../pods/controller-ref.ts";
import { templateHash } from "../pods/template-hash.ts";

export interface RevisionOwner {
  readonly owner: ApiObject;
  readonly template: PodTemplateSpec;
  /** The label of a revision that holds its hash. */
  readonly hashLabel: string;
  readonly collisionCount: number;
}

export type RevisionStep =
  /** It is the newest one already. */
  | { readonly kind: "keep"; readonly revision: Readonly<Served<ControllerRevision>> }
  /** It was there before and becomes the newest again. */
  | { readonly kind: "renumber"; readonly revision: Readonly<Served<ControllerRevision>> }
  | { readonly kind: "create"; readonly revision: ControllerRevision };

/** How the present template becomes the newest revision. `history` oldest first. */
export function planRevision(
  of: RevisionOwner,
  history: readonly Readonly<Served<ControllerRevision>>[],
): RevisionStep {
  const number = (history.at(-1)?.revision ?? 0) + 1;
  const draft = draftRevision(of, number);
  const equal = history.findLast(({ data }) => semanticallyEqual(data, draft.data));
  if (equal === undefined) return { kind: "create", revision: draft };
  if (equal === history.at(-1)) return { kind: "keep", revision: equal };
  return { kind: "renumber", revision: { ...equal, revision: number } };
}

export function byRevision(
  a: Readonly<Served<ControllerRevision>>,
  b: Readonly<Served<ControllerRevision>>,
): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  if (a.metadata.creationTimestamp !== b.metadata.creationTimestamp)
    return a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** The template that a revision keeps. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { spec } = (data ?? {}) as { spec?: { template?: PodTemplateSpec & { $patch?: string } } };
  if (spec?.template === undefined) return undefined;
  const { $patch: _, ...template } = spec.template;
  return template;
}

export function sameData(a: ControllerRevision, b: ControllerRevision): boolean {
  return semanticallyEqual(a.data, b.data);
}

/** Revisions that nothing uses, oldest first, beyond `limit` of them. */
export function expiredRevisions(
  history: readonly Readonly<Served<ControllerRevision>>[],
  isLive: (revision: Readonly<Served<ControllerRevision>>) => boolean,
  limit: number,
): readonly Readonly<Served<ControllerRevision>>[] {
  const unused = history.filter((revision) => !isLive(revision));
  return unused.slice(0, Math.max(0, unused.length - limit));
}

export function draftRevision(of: RevisionOwner, revision: number): ControllerRevision {
  const { owner, template, hashLabel, collisionCount } = of;
  const hash = templateHash(template, collisionCount);
  const { name = "", namespace = "", annotations } = owner.metadata;
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...template.metadata.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerRefTo(owner)],
    },
    data: { spec: { template: { ...template, $patch: "replace" } } },
    revision,
  };
}
