// What `/version` says: the Kubernetes minor that is served, and who serves it.
import type { VersionDocument } from "../apiserver/parts.ts";
import { kubernetesVersion } from "../api/kubernetes-version.ts";

export const versionDocument: VersionDocument = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: kubernetesVersion,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "wavetank",
  platform: "linux/amd64",
};
