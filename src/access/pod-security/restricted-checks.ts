// Restricted: pods must say that they renounce what hardening takes away (upstream:
// pod-security-admission/policy/check_*.go).
import type { Container } from "../../api/types/core-v1.ts";
import { procMount, seccompProfile } from "./baseline-checks.ts";
import {
  type Check,
  type CheckPod,
  containerList,
  containersOf,
  distinct,
  hasOwnUsers,
  isWindows,
  namesWhere,
  plural,
  quoted,
  settersOf,
  unless,
} from "./check.ts";

const privilegeEscalation: CheckPod = (pod) => {
  const names = namesWhere(
    pod,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containerList(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: CheckPod = (pod) => {
  const added = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => one !== "NET_BIND_SERVICE");
  const keeping = namesWhere(
    pod,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"),
  );
  const adding = namesWhere(pod, (container) => added(container).length > 0);
  const words = quoted(distinct(containersOf(pod).flatMap(added)));
  const details = [
    ...(keeping.length === 0
      ? []
      : [`${containerList(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [`${containerList(adding)} must not include ${words} in securityContext.capabilities.add`]),
  ];
  if (details.length === 0) return undefined;
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

const volumeTypes: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(
    (volume) => !Object.keys(volume).some((key) => allowedVolumes.includes(key)),
  );
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const types = distinct(
    bad.map((volume) => Object.keys(volume).find((key) => key !== "name") ?? "unknown"),
  );
  const verb = bad.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${plural(names, "volume")} ${quoted(names)} ${verb} ${plural(types, "restricted volume type")} ${quoted(types)}`,
  };
};

const runAsNonRoot: CheckPod = (pod) => {
  const reason = "runAsNonRoot != true";
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const setters = settersOf(
    ofPod === false ? "pod sets it" : "",
    namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  if (setters !== "")
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const silent = namesWhere(pod, (one) => one.securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${containerList(silent)} must set securityContext.runAsNonRoot=true`,
  };
};

const runAsUser: CheckPod = (pod) => {
  const setters = settersOf(
    pod.spec.securityContext?.runAsUser === 0 ? "pod sets it" : "",
    namesWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0),
  );
  if (setters === "") return undefined;
  return { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
};

const seccomp: CheckPod = (pod) => {
  const wrong = seccompProfile(pod);
  if (wrong !== undefined) return wrong;
  if (pod.spec.securityContext?.seccompProfile !== undefined) return undefined;
  const silent = namesWhere(pod, (one) => one.securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containerList(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      [8, privilegeEscalation],
      [25, unless(isWindows, privilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      [22, capabilities],
      [25, unless(isWindows, capabilities)],
    ],
    replaces: "capabilities_baseline",
  },
  { id: "procMount_restricted", versions: [[35, procMount]], replaces: "procMount" },
  { id: "restrictedVolumes", versions: [[0, volumeTypes]], replaces: "hostPathVolumes" },
  {
    id: "runAsNonRoot",
    versions: [
      [0, runAsNonRoot],
      [35, unless(hasOwnUsers, runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    versions: [
      [23, runAsUser],
      [35, unless(hasOwnUsers, runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      [19, seccomp],
      [25, unless(isWindows, seccomp)],
    ],
    replaces: "seccompProfile_baseline",
  },
];
