// The files of the containers that somebody typed into, as long as their runs last.
import type { Container, Pod } from "../../api/types/core-v1.ts";
import { FileBudget, FileTree, parentOf, putText, resolvePath } from "./file-tree.ts";

/** Of all simulated containers of a process together. */
const bytesMax = 268_435_456;

interface Kept {
  readonly startedAt: number;
  readonly tree: FileTree;
}

export class ContainerFiles {
  readonly #budget = new FileBudget(bytesMax);
  /** By uid of the pod, then by container. */
  readonly #kept = new Map<string, Map<string, Kept>>();

  /** A run begins with the files of its image. */
  of(pod: Pod, container: Container, startedAt: number): FileTree {
    const { uid = "" } = pod.metadata;
    const ofPod = this.#kept.get(uid) ?? new Map<string, Kept>();
    const known = ofPod.get(container.name);
    if (known !== undefined && known.startedAt === startedAt) return known.tree;
    known?.tree.close();
    const tree = imageFiles(pod, container, this.#budget);
    ofPod.set(container.name, { startedAt, tree });
    this.#kept.set(uid, ofPod);
    return tree;
  }

  forgetPod(uid: string): void {
    for (const { tree } of this.#kept.get(uid)?.values() ?? []) tree.close();
    this.#kept.delete(uid);
  }
}

/** What a container finds when it starts, in files of its own. */
export function imageFiles(
  pod: Pod,
  container: Container,
  budget: FileBudget = new FileBudget(bytesMax),
): FileTree {
  const tree = new FileTree(budget);
  const { metadata, spec, status } = pod;
  const hostname = spec?.hostname ?? metadata.name ?? "";
  const address = status?.podIP ?? "";
  const hosts = ["127.0.0.1\tlocalhost", ...(address === "" ? [] : [`${address}\t${hostname}`])];
  const domains = `${metadata.namespace ?? ""}.svc.cluster.local svc.cluster.local`;
  putText(tree, "/etc/hostname", `${hostname}\n`);
  putText(tree, "/etc/hosts", `${hosts.join("\n")}\n`);
  putText(tree, "/etc/resolv.conf", `search ${domains}\n`);
  for (const { mountPath, subPath } of container.volumeMounts ?? []) {
    const path = resolvePath("/", mountPath);
    tree.makeFolders(subPath === undefined ? path : parentOf(path), 0);
  }
  if (container.workingDir !== undefined)
    tree.makeFolders(resolvePath("/", container.workingDir), 0);
  return tree;
}
