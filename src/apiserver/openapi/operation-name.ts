// The words of operation ids and tags: `listCoreV1NamespacedPod` of `core_v1`.

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `Core`, `Apps`, `RbacAuthorization`, `FlowcontrolApiserver`. */
export function groupWord(group: string): string {
  return groupParts(group).map(capital).join("");
}

/** `CoreV1`. */
export function groupVersionWord({ group, version }: GroupVersion): string {
  return groupWord(group) + capital(version);
}

/** `core_v1`, `rbacAuthorization_v1`. */
export function groupVersionTag({ group, version }: GroupVersion): string {
  return `${groupTag(group)}_${version}`;
}

/** `rbacAuthorization`. */
export function groupTag(group: string): string {
  const [first = "", ...rest] = groupParts(group);
  return first + rest.map(capital).join("");
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function groupParts(group: string): string[] {
  return group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(".");
}
