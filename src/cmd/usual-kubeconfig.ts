// Which server is meant where no flag says: as kubectl, but for the one that `wavetank up` started here.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The same in words, for help texts. */
export const usualKubeconfigs = "$KUBECONFIG, then .wavetank/kubeconfig, then ~/.kube/config";

export function usualKubeconfig(): string {
  const [first = ""] = (process.env["KUBECONFIG"] ?? "").split(delimiter);
  if (first !== "") return first;
  const own = join(".wavetank", "kubeconfig");
  return existsSync(own) ? own : join(homedir(), ".kube", "config");
}
