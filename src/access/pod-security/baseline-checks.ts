// Baseline: what lets a pod reach beyond itself is refused (upstream: pod-security-admission/policy/check_*.go).
import type {
  Container,
  LifecycleHandler,
  Probe,
  SELinuxOptions,
} from "../../api/types/core-v1.ts";
import {
  type Check,
  type CheckPod,
  type CheckedPod,
  containerList,
  containersOf,
  distinct,
  hasOwnUsers,
  namesWhere,
  plural,
  quoted,
  settersOf,
  unless,
} from "./check.ts";

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const safeProfiles: readonly string[] = ["RuntimeDefault", "Localhost"];

const appArmor: CheckPod = (pod) => {
  const typeOf = (context: { appArmorProfile?: { type: string } } | undefined): string =>
    context?.appArmorProfile?.type ?? "";
  const isBad = (type: string): boolean => type !== "" && !safeProfiles.includes(type);
  const ofPod = typeOf(pod.spec.securityContext);
  const names = namesWhere(pod, ({ securityContext }) => isBad(typeOf(securityContext)));
  const types = containersOf(pod).map(({ securityContext }) => typeOf(securityContext));
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isSafeAnnotation(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .toSorted();
  const setters = [
    settersOf(isBad(ofPod) ? "pod sets it" : "", names),
    ...(annotations.length === 0 ? [] : [plural(annotations, "annotation")]),
  ].filter((text) => text !== "");
  if (setters.length === 0) return undefined;
  const values = [...distinct([ofPod, ...types].filter(isBad)), ...annotations];
  return {
    reason: plural(values, "forbidden AppArmor profile"),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

function isSafeAnnotation(profile: string): boolean {
  return profile === "" || profile === "runtime/default" || profile.startsWith("localhost/");
}

const defaultCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

const capabilities: CheckPod = (pod) => {
  const bad = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => !defaultCapabilities.has(one));
  const names = namesWhere(pod, (container) => bad(container).length > 0);
  if (names.length === 0) return undefined;
  const added = quoted(distinct(containersOf(pod).flatMap(bad)));
  return {
    reason: "non-default capabilities",
    detail: `${containerList(names)} must not include ${added} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: CheckPod = ({ spec }) => {
  const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((one) => spec[one] === true);
  if (used.length === 0) return undefined;
  return { reason: "host namespaces", detail: used.map((one) => `${one}=true`).join(", ") };
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const names = (spec.volumes ?? []).filter((one) => one.hostPath !== undefined).map(nameOf);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural(names, "volume")} ${quoted(names)}` };
};

const nameOf = ({ name }: { name: string }): string => name;

const hostPorts: CheckPod = (pod) => {
  const bad = ({ ports = [] }: Container): string[] =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
  const names = namesWhere(pod, (container) => bad(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = distinct(containersOf(pod).flatMap(bad));
  const verb = names.length === 1 ? "uses" : "use";
  return {
    reason: "hostPort",
    detail: `${containerList(names)} ${verb} ${plural(ports, "hostPort")} ${ports.join(", ")}`,
  };
};

const hostProbes: CheckPod = (pod) => {
  const hosts = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(
      hostsOf,
    );
  const names = distinct(namesWhere(pod, (container) => hosts(container).length > 0));
  if (names.length === 0) return undefined;
  const used = distinct(containersOf(pod).flatMap(hosts));
  const verb = names.length === 1 ? "uses" : "use";
  const word = plural(used, "probe or lifecycle host");
  return {
    reason: "probe or lifecycle host",
    detail: `${containerList(names)} ${verb} ${word} ${quoted(used)}`,
  };
};

function hostsOf(handler: Probe | LifecycleHandler | undefined): string[] {
  return [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""].filter(
    (host) => host !== "",
  );
}

const privileged: CheckPod = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${containerList(names)} must not set securityContext.privileged=true`,
  };
};

export const procMount: CheckPod = (pod) => {
  const bad = ({ securityContext }: Container): string[] => {
    const mount = securityContext?.procMount;
    return mount === undefined || mount === "Default" ? [] : [mount];
  };
  const names = namesWhere(pod, (container) => bad(container).length > 0);
  if (names.length === 0) return undefined;
  const mounts = quoted(distinct(containersOf(pod).flatMap(bad)));
  return {
    reason: "procMount",
    detail: `${containerList(names)} must not set securityContext.procMount to ${mounts}`,
  };
};

function seLinux(allowed: readonly string[]): CheckPod {
  const isBad = (options: SELinuxOptions | undefined): boolean =>
    options !== undefined &&
    (!allowed.includes(options.type ?? "") || !!options.user || !!options.role);
  return (pod) => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const setters = settersOf(
      isBad(ofPod) ? "pod sets it" : "",
      namesWhere(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions)),
    );
    if (setters === "") return undefined;
    const all = [
      ofPod,
      ...containersOf(pod).map(({ securityContext }) => securityContext?.seLinuxOptions),
    ];
    const types = distinct(
      all.map((one) => one?.type ?? "").filter((one) => !allowed.includes(one)),
    );
    const what = [
      ...(types.length === 0 ? [] : [`${plural(types, "type")} ${quoted(types)}`]),
      ...(all.some((one) => !!one?.user) ? ["user may not be set"] : []),
      ...(all.some((one) => !!one?.role) ? ["role may not be set"] : []),
    ];
    const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`;
    return { reason: "seLinuxOptions", detail };
  };
}

const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";

/** Before the field there were annotations. */
const seccompAnnotations: CheckPod = (pod) => {
  const annotations = pod.metadata.annotations ?? {};
  const keys = [podSeccomp, ...containersOf(pod).map(({ name }) => containerSeccomp + name)];
  const bad = distinct(
    keys
      .filter((key) => annotations[key] !== undefined && !isSafeSeccomp(annotations[key]))
      .map((key) => `${key}=${JSON.stringify(annotations[key])}`),
  );
  if (bad.length === 0) return undefined;
  const detail = `forbidden ${plural(bad, "annotation")} ${bad.join(", ")}`;
  return { reason: "seccompProfile", detail };
};

function isSafeSeccomp(value: string): boolean {
  return ["runtime/default", "docker/default"].includes(value) || value.startsWith("localhost/");
}

/** Also the first half of the restricted check. */
export const seccompProfile: CheckPod = (pod) => {
  const types = (context: { seccompProfile?: { type: string } } | undefined): string[] =>
    [context?.seccompProfile?.type ?? ""].filter(
      (one) => one !== "" && !safeProfiles.includes(one),
    );
  const ofPod = types(pod.spec.securityContext);
  const names = namesWhere(pod, ({ securityContext }) => types(securityContext).length > 0);
  const setters = settersOf(ofPod.length > 0 ? "pod sets it" : "", names);
  if (setters === "") return undefined;
  const values = [...ofPod, ...containersOf(pod).flatMap((one) => types(one.securityContext))];
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(distinct(values))}`,
  };
};

const sysctlsAt = {
  0: [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ],
  27: ["net.ipv4.ip_local_reserved_ports"],
  29: [
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
  ],
  32: ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
} as const;

function sysctls(allowed: readonly string[]): CheckPod {
  return ({ spec }: CheckedPod) => {
    const bad = (spec.securityContext?.sysctls ?? [])
      .map(nameOf)
      .filter((one) => !allowed.includes(one));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  };
}

const hostProcess: CheckPod = (pod) => {
  const ofPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const setters = settersOf(
    ofPod ? "pod sets it" : "",
    namesWhere(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  );
  if (setters === "") return undefined;
  return {
    reason: "hostProcess",
    detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];

export const baselineChecks: readonly Check[] = [
  { id: "appArmorProfile", versions: [[0, appArmor]] },
  { id: "capabilities_baseline", versions: [[0, capabilities]] },
  { id: "hostNamespaces", versions: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", versions: [[0, hostPathVolumes]] },
  { id: "hostPorts", versions: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", versions: [[34, hostProbes]] },
  { id: "privileged", versions: [[0, privileged]] },
  {
    id: "procMount",
    versions: [
      [0, procMount],
      [35, unless(hasOwnUsers, procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      [0, seLinux(seLinuxTypes)],
      [31, seLinux([...seLinuxTypes, "container_engine_t"])],
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
  {
    id: "sysctls",
    versions: [
      [0, sysctls(sysctlsAt[0])],
      [27, sysctls([...sysctlsAt[0], ...sysctlsAt[27]])],
      [29, sysctls([...sysctlsAt[0], ...sysctlsAt[27], ...sysctlsAt[29]])],
      [32, sysctls(Object.values(sysctlsAt).flat())],
    ],
  },
  { id: "windowsHostProcess", versions: [[0, hostProcess]] },
];
