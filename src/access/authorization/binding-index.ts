// Bindings by subject, so that finding what a user holds costs the user's bindings and not the cluster's.
// Built from one listing of one kind of binding; never changes afterwards.
import type { KubeObject } from "../../api/object.ts";
import type { RoleRef, Subject } from "../../api/types/rbac-v1.ts";
import type { UserInfo } from "../../api/user-info.ts";
import { serviceAccountUsername } from "../users.ts";

interface Binding {
  readonly name: string;
  /** "" for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  /** Place in the listing; results keep this order. */
  readonly order: number;
}

/** A binding that applies, and through which of its subjects (the first that matches). */
export interface AppliedBinding {
  readonly binding: Binding;
  readonly subject: Subject;
}

interface Entry extends AppliedBinding {
  readonly subjectIndex: number;
}

export interface BindingIndex {
  /** In listing order. */
  bindingsOf(user: UserInfo, namespace: string): readonly AppliedBinding[];
}

export function indexBindings(objects: readonly Readonly<KubeObject>[]): BindingIndex {
  const namespaces = new Map<string, Map<string, Entry[]>>();
  objects.forEach((object, order) => {
    const { name = "", namespace = "" } = object.metadata;
    const binding: Binding = { name, namespace, roleRef: object["roleRef"] as RoleRef, order };
    const subjects = (object["subjects"] ?? []) as Subject[];
    subjects.forEach((subject, subjectIndex) => {
      const key = subjectKey(subject, namespace);
      if (key === undefined) return;
      const bySubject = entry(namespaces, namespace, () => new Map<string, Entry[]>());
      entry(bySubject, key, () => []).push({ binding, subject, subjectIndex });
    });
  });
  return {
    bindingsOf(user, namespace) {
      const bySubject = namespaces.get(namespace);
      return bySubject === undefined ? [] : appliedTo(user, bySubject);
    },
  };
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}

function appliedTo(user: UserInfo, bySubject: ReadonlyMap<string, Entry[]>): AppliedBinding[] {
  const best = new Map<number, Entry>();
  const keys = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
  for (const key of keys) {
    for (const found of bySubject.get(key) ?? []) {
      const rival = best.get(found.binding.order);
      if (rival === undefined || found.subjectIndex < rival.subjectIndex) {
        best.set(found.binding.order, found);
      }
    }
  }
  return [...best.values()].sort((a, b) => a.binding.order - b.binding.order);
}

/** A ServiceAccount is matched by its username; without a namespace it means the binding's. */
function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case "User":
      return `User ${subject.name}`;
    case "Group":
      return `Group ${subject.name}`;
    case "ServiceAccount": {
      const namespace = orElse(subject.namespace, bindingNamespace);
      if (namespace === "") return undefined;
      return `User ${serviceAccountUsername({ namespace, name: subject.name })}`;
    }
    default:
      return undefined;
  }
}

/** `User "u"`, `ServiceAccount "name/namespace"`. */
export function describeSubject(subject: Subject, bindingNamespace: string): string {
  if (subject.kind !== "ServiceAccount") return `${subject.kind} ${JSON.stringify(subject.name)}`;
  const namespace = orElse(subject.namespace, bindingNamespace);
  return `ServiceAccount ${JSON.stringify(`${subject.name}/${namespace}`)}`;
}

function orElse(text: string | undefined, fallback: string): string {
  return text === undefined || text === "" ? fallback : text;
}
