// The world that a shell of a simulated container finds: its host name, environment and working folder, from the pod; its files are
// the caller's.
import type { Container, Pod } from "../../api/types/core-v1.ts";
import { type FileTree, resolvePath } from "./file-tree.ts";
import { Shell } from "./shell.ts";
import type { Running, ShellWorld } from "./shell-effect.ts";

export interface ContainerShell {
  /** Undefined: the container has no such program. */
  command(words: readonly string[], tty?: boolean): Running | undefined;
}

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function shellOf(pod: Pod, container: Container, files: FileTree): ContainerShell {
  return {
    command: (words, tty = false) =>
      words.length === 0
        ? undefined
        : new Shell({ ...worldOf(pod, container, tty), files }).program(words),
  };
}

function worldOf(pod: Pod, container: Container, tty: boolean): Omit<ShellWorld, "files"> {
  const { metadata, spec } = pod;
  const hostname = spec?.hostname ?? metadata.name ?? "";
  const environment = new Map([
    ["PATH", path],
    ["HOSTNAME", hostname],
    ["HOME", "/root"],
    ...(tty ? [["TERM", "xterm"] as const] : []),
  ]);
  for (const { name, value, valueFrom } of container.env ?? [])
    environment.set(name, value ?? fieldOf(pod, valueFrom?.fieldRef?.fieldPath ?? ""));
  const folder = resolvePath("/", container.workingDir ?? "/");
  return { hostname, environment, folder, tty };
}

/** What the downward API gives of the pod. */
function fieldOf({ metadata, spec, status }: Pod, fieldPath: string): string {
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec?.nodeName,
    "spec.serviceAccountName": spec?.serviceAccountName,
    "status.hostIP": status?.hostIP,
    "status.podIP": status?.podIP,
  };
  return fields[fieldPath] ?? "";
}
