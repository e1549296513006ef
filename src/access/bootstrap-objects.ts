// Everything that exists before the first client comes, RBAC included: as data, each object with the rule by which a
// later start brings it up to date. Pure.
import type { Host } from "../host/host.ts";
import type { KubeObject } from "../api/object.ts";
import { apiServices } from "./bootstrap/api-services.ts";
import { flowSchemas, isMandatory, priorityLevels } from "../api/flow-control-objects.ts";
import {
  type KubernetesServiceOptions,
  kubernetesEndpointSlice,
  kubernetesEndpoints,
  kubernetesService,
  kubernetesServiceCidr,
} from "./bootstrap/kubernetes-service.ts";
import {
  keepAsIs,
  keepContent,
  keepMandatorySpec,
  keepPolicy,
  keepServicePorts,
  keepSpec,
  keepSuggestedSpec,
  type Upkeep,
} from "./bootstrap/upkeep.ts";
import { bootstrapPolicy } from "./bootstrap-policy.ts";
import { type NewObject, namespaceContents } from "./namespace-contents.ts";
import { randomUuid } from "../api/meta/random-names.ts";
import { microTimestamp, timestamp } from "../api/meta/timestamp.ts";
import { encodeUtf8 } from "../std/utf8.ts";

export interface BootstrapObject extends NewObject {
  readonly upkeep: Upkeep;
}

export interface BootstrapOptions extends Omit<KubernetesServiceOptions, "timestamp"> {
  /** PEM of the CA that signs the server's and the clients' certificates. */
  readonly caBundle: string;
  /** ms since 1970. */
  readonly now: number;
  readonly identity: ServerIdentity;
  /** Kubernetes minor whose FlowSchemas and PriorityLevelConfigurations are kept. */
  readonly flowControlMinor: number;
}

/** Which API server this is, among those that share a store. */
export interface ServerIdentity {
  /** `apiserver-…`. */
  readonly name: string;
  /** Another at each start. */
  readonly holder: string;
  readonly hostname: string;
}

const systemNamespaces: readonly string[] = [
  "kube-system",
  "kube-public",
  "kube-node-lease",
  "default",
];

/** Namespaces come first. */
export function bootstrapObjects(options: BootstrapOptions): BootstrapObject[] {
  const now = timestamp(options.now);
  const service = { ...options, timestamp: now };
  const { caBundle } = options;
  return [
    ...systemNamespaces.map((name) => keptAsIs("namespaces", namespace(name))),
    ...systemNamespaces.flatMap((name) => namespaceObjects(name, caBundle)),
    ...rbacObjects(),
    ...flowControlObjects(now, options.flowControlMinor),
    ...apiServices(now).map((object) => keptAsIs("apiservices.apiregistration.k8s.io", object)),
    ...priorityClasses().map((object) => keptAsIs("priorityclasses.scheduling.k8s.io", object)),
    keptAsIs("servicecidrs.networking.k8s.io", kubernetesServiceCidr(service)),
    { resource: "services", object: kubernetesService(service), upkeep: keepServicePorts },
    { resource: "endpoints", object: kubernetesEndpoints(service), upkeep: keepContent },
    {
      resource: "endpointslices.discovery.k8s.io",
      object: kubernetesEndpointSlice(service),
      upkeep: keepContent,
    },
    { resource: "configmaps", object: authenticationConfigMap(caBundle), upkeep: keepContent },
    keptAsIs("configmaps", tokenTrackingConfigMap(options.now)),
    {
      resource: "leases.coordination.k8s.io",
      object: serverLease(options.identity, options.now),
      upkeep: keepSpec,
    },
  ];
}

/** What the server keeps up while it runs: what an administrator deletes or changes comes back. */
export function flowControlObjects(timestamp: string, minor: number): BootstrapObject[] {
  const kept = (resource: string, object: KubeObject): BootstrapObject => ({
    resource: `${resource}.flowcontrol.apiserver.k8s.io`,
    object,
    upkeep: isMandatory(object.metadata.name ?? "") ? keepMandatorySpec : keepSuggestedSpec,
  });
  return [
    ...priorityLevels(minor).map((object) => kept("prioritylevelconfigurations", object)),
    ...flowSchemas(timestamp, minor).map((object) => kept("flowschemas", object)),
  ];
}

/** What one namespace holds from its creation on; the CA bundle follows the server's. */
export function namespaceObjects(name: string, caBundle: string): BootstrapObject[] {
  return namespaceContents(name, caBundle).map(({ resource, object }) => ({
    resource,
    object,
    upkeep: resource === "configmaps" ? keepContent : keepAsIs,
  }));
}

function keptAsIs(resource: string, object: KubeObject): BootstrapObject {
  return { resource, object, upkeep: keepAsIs };
}

const rbacPlurals: Readonly<Record<string, string>> = {
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  Role: "roles",
  RoleBinding: "rolebindings",
};

function rbacObjects(): BootstrapObject[] {
  return bootstrapPolicy().map((object) => ({
    resource: `${rbacPlurals[object.kind ?? ""] ?? ""}.rbac.authorization.k8s.io`,
    object,
    upkeep: keepPolicy,
  }));
}

function namespace(name: string): KubeObject {
  return {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
  };
}

function priorityClasses(): KubeObject[] {
  const classes = [
    ["system-node-critical", 2_000_001_000, "For pods that their node cannot do without."],
    ["system-cluster-critical", 2_000_000_000, "For pods that the cluster needs on some node."],
  ] as const;
  return classes.map(([name, value, description]) => ({
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name },
    value,
    description,
    preemptionPolicy: "PreemptLowerPriority",
  }));
}

/** Where extension API servers learn whose client certificates to trust. */
function authenticationConfigMap(caBundle: string): KubeObject {
  return configMap("extension-apiserver-authentication", { "client-ca-file": caBundle });
}

function tokenTrackingConfigMap(now: number): KubeObject {
  const since = timestamp(now).slice(0, 10);
  return configMap("kube-apiserver-legacy-service-account-token-tracking", { since });
}

function configMap(name: string, data: Readonly<Record<string, string>>): KubeObject {
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name, namespace: "kube-system" },
    data,
  };
}

/** How long a server's Lease outlives it, and how often a running server should renew it. */
const serverLeaseSeconds = 3600;
export const serverLeaseRenewMs = 10_000;

export function serverLease(identity: ServerIdentity, now: number): KubeObject {
  return {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    metadata: {
      name: identity.name,
      namespace: "kube-system",
      labels: {
        "apiserver.kubernetes.io/identity": "kube-apiserver",
        "kubernetes.io/hostname": identity.hostname,
      },
    },
    spec: {
      holderIdentity: identity.holder,
      leaseDurationSeconds: serverLeaseSeconds,
      renewTime: microTimestamp(now),
    },
  };
}

/** The name is a hash of the host's, so that a restarted server takes its Lease over (upstream: server/config.go). */
export function serverIdentity(host: Host, hostname: string): ServerIdentity {
  const words = [hostname, "kube-apiserver"];
  const hash = host.digest.sha256(lengthPrefixed(words)).subarray(0, 16);
  const name = `apiserver-${base32(hash)}`;
  const unique = randomUuid(host.random.stream("server-identity"));
  return { name, holder: `${name}_${unique}`, hostname };
}

/** Each word as UTF-8 behind its length in two bytes. */
function lengthPrefixed(words: readonly string[]): Uint8Array {
  const bytes: number[] = [];
  for (const word of words) {
    const text = encodeUtf8(word);
    bytes.push(text.length >> 8, text.length & 255, ...text);
  }
  return Uint8Array.from(bytes);
}

/** RFC 4648, lower case, no padding. */
function base32(bytes: Uint8Array): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >> bits) & 31] ?? "";
      held &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + (alphabet[(held << (5 - bits)) & 31] ?? "");
}
