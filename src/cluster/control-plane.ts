// One control plane from a Host, a Store and options: the server tower put together in one place, its boot objects
// written, its housekeeping started. Knows neither sockets nor files: it hands out a handler.
import type { Ledger } from "../accounting/ledger/ledger.ts";
import {
  type BootstrapObject,
  type ServerIdentity,
  bootstrapObjects,
  serverIdentity,
} from "../access/bootstrap-objects.ts";
import { reconcileBootstrap } from "../access/bootstrap-reconcile.ts";
import { type Access, buildAccess } from "../access/build.ts";
import type { NodeMetrics } from "../api/node-metrics.ts";
import type { NodeStreams } from "../api/node-streams.ts";
import { withOldFlowControl } from "../api/schema/old-flow-control.ts";
import { type Schema, schema } from "../api/schema/schema.ts";
import type { GaugeSource } from "../apiserver/metrics/metric-registry.ts";
import type { Labour, ServerLimits } from "../apiserver/parts.ts";
import { type ApiServer, createApiServer } from "../apiserver/server.ts";
import type { Host } from "../host/host.ts";
import type { Handler } from "../host/http.ts";
import type { TokenSigner } from "../host/token-signer.ts";
import {
  type RegistryOptions,
  buildRegistries,
  defaultRegistryOptions,
} from "../registry/build.ts";
import type { Registries } from "../registry/registry.ts";
import { compactorDefaults, sharedCompactionKey, startCompactor } from "../storage/compactor.ts";
import type { Store } from "../storage/store.ts";
import { type WatchCache, createWatchCache } from "../watchcache/watch-cache.ts";
import { CachedNodePods } from "./cached-node-pods.ts";
import type { AuditChoice } from "./audit.ts";
import { type Books, createBooks } from "./books.ts";
import { CachedObjectReader } from "./cached-object-reader.ts";
import { decodeStored } from "./decode-stored.ts";
import {
  type FlowControlChoice,
  type RunningFlowControl,
  createFlowControl,
} from "./flow-control.ts";
import { gaugesOf } from "./gauges.ts";
import { startHousekeeping } from "./housekeeping.ts";
import type { KubernetesProfile } from "./kubernetes-profile.ts";
import { createQuotaBook } from "./quota-book.ts";
import { RegistryWriter } from "./registry-writer.ts";
import { createRunawayBreaker } from "./runaway-breaker.ts";
import { startTokenSecrets } from "./token-secrets.ts";
import { versionDocument } from "./version-document.ts";

export interface ControlPlaneOptions {
  /** The Kubernetes minor to behave as. */
  readonly profile: KubernetesProfile;
  readonly tokenSigner: TokenSigner;
  /** PEM of the CA that signed the server's certificate. */
  readonly caBundle: string;
  /** `host:port` where clients reach this server. */
  readonly externalAddress: string;
  /** What the Endpoints of the `kubernetes` Service say; undefined: the machine has no address that they may hold. */
  readonly advertiseAddress: string | undefined;
  readonly advertisePort: number;
  /** Names this server among those that share a store. */
  readonly hostname: string;
  readonly serviceClusterIpRange: string;
  /** Of every key, as kube-apiserver's --etcd-prefix. */
  readonly storagePrefix: string;
  /** Other API servers use the same store: compaction is agreed on with them. */
  readonly sharedStore: boolean;
  /** Controllers and a scheduler run in the same process; componentstatuses says so. */
  readonly controllersBeside: boolean;
  /** Text of a static token file; "" for none. */
  readonly tokens: string;
  /** Replacements of pods that never ran that one owner may make (access/runaway-owner/law.ts); 0: any number. */
  readonly runawayOwnerLimit: number;
  /** Undefined: no audit log. Writer and webhook are closed with the control plane. */
  readonly audit: AuditChoice | undefined;
  /** Where costs are counted (docs/top.md); servers of one rehearsal share it. Undefined: no books are kept. */
  readonly ledger: Ledger | undefined;
  readonly flowControl: FlowControlChoice;
  readonly limits: ServerLimits;
  /** What the process itself and its listener use, for /metrics. */
  readonly processFigures: readonly GaugeSource[];
  /** The kubelets as the server reaches them. */
  readonly nodeStreams: NodeStreams;
  readonly nodeMetrics: NodeMetrics;
  /** What work costs on a declared machine; `noLabour` on a real one. */
  readonly labour: Labour;
}

export interface ControlPlane {
  readonly handle: Handler;
  /** Refuses new requests, ends watches cleanly, resolves when accepted requests are answered. */
  drain(): Promise<void>;
  /** Stops housekeeping and the caches. The store stays open: it is the caller's. */
  close(): Promise<void>;
}

/** Resolves when the caches are loaded and the boot objects are there: the server is ready. */
export async function createControlPlane(
  host: Host,
  store: Store,
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  const prefix = `/${options.storagePrefix.replaceAll(/^\/+|\/+$/g, "")}/`;
  const watchCache = createWatchCache(host, store, {
    prefix,
    decodeStored,
    routing: options.profile.reads,
    servedWhileLoading: ["pods", "secrets"],
  });
  const registries = buildRegistries(host, store, watchCache, registryOptions(prefix, options));
  await watchCache.start();
  await registries.repair();
  const reader = new CachedObjectReader(watchCache.resources);
  const writer = new RegistryWriter(registries);
  const limit = options.runawayOwnerLimit;
  const breaker =
    limit === 0 ? undefined : createRunawayBreaker(host, { registries, writer, limit });
  const access = buildAccess(host, reader, options.tokenSigner, {
    tokens: options.tokens,
    externalAddress: options.externalAddress,
    runawayGuard: breaker?.guard,
    quotas: createQuotaBook(reader, writer),
    accountTokens: options.profile.accountTokens,
    nodePods: new CachedNodePods(watchCache.resources),
  });
  const flowControl = createFlowControl(host, options.flowControl, {
    requestTimeoutMs: options.limits.requestTimeoutMs,
    caches: watchCache.resources,
    registries,
    reader,
    writer,
  });
  const gauges = [
    ...gaugesOf(watchCache, options.processFigures),
    ...(breaker?.gauges ?? []),
    ...flowControl.gauges,
  ];
  const books = createBooks(host, options);
  const ground = { books, store, watchCache, registries, access, options, gauges, flowControl };
  const server = createServer(host, ground);
  const identity = serverIdentity(host, options.hostname);
  const boot = bootObjects(options, identity, host.clock.now());
  await reconcileBootstrap(boot, reader, writer);
  const compactor = startCompactor(host, store, {
    ...compactorDefaults,
    ...(options.sharedStore ? { sharedKey: sharedCompactionKey } : {}),
  });
  const upkeep = startUpkeep(host, { registries, reader, writer, identity, options });
  const stopBreaker = breaker?.start();
  const stopFlowControl = flowControl.start();
  return {
    handle: server.handle,
    drain: () => server.drain(),
    async close() {
      stopBreaker?.();
      stopFlowControl();
      upkeep();
      await compactor.stop();
      watchCache.close();
      await books.auditor?.close();
    },
  };
}

function registryOptions(prefix: string, options: ControlPlaneOptions): RegistryOptions {
  const { serviceClusterIpRange } = options;
  const { resources } = servedSchema(options);
  return { ...defaultRegistryOptions, resources, prefix, decodeStored, serviceClusterIpRange };
}

interface UpkeepParts {
  readonly registries: Registries;
  readonly reader: CachedObjectReader;
  readonly writer: RegistryWriter;
  readonly identity: ServerIdentity;
  readonly options: ControlPlaneOptions;
}

/** What the server does by itself while it runs. */
function startUpkeep(host: Host, { options, identity, ...objects }: UpkeepParts): () => void {
  const { caBundle, tokenSigner: signer } = options;
  const housekeeping = startHousekeeping(host, { ...objects, identity, caBundle });
  const { created } = options.profile.accountTokens;
  const tokenSecrets = startTokenSecrets(host, { ...objects, signer, caBundle, created });
  return () => {
    housekeeping();
    tokenSecrets();
  };
}

/** Endpoints may not hold loopback addresses, so without another address there are none. */
function bootObjects(
  options: ControlPlaneOptions,
  identity: ServerIdentity,
  now: number,
): BootstrapObject[] {
  const { advertiseAddress = "" } = options;
  const flowControlMinor = options.flowControl.minor;
  const objects = bootstrapObjects({
    ...options,
    advertiseAddress,
    identity,
    now,
    flowControlMinor,
  });
  if (advertiseAddress !== "") return objects;
  const endpoints = ["endpoints", "endpointslices.discovery.k8s.io"];
  return objects.filter(({ resource }) => !endpoints.includes(resource));
}

/** Beta versions of flow control's objects are served by the minors that had them. */
function servedSchema({ flowControl }: ControlPlaneOptions): Schema {
  return withOldFlowControl(schema, flowControl.profile.oldVersions);
}

interface ServerGround {
  readonly books: Books;
  readonly store: Store;
  readonly watchCache: WatchCache;
  readonly registries: Registries;
  readonly access: Access;
  readonly options: ControlPlaneOptions;
  readonly gauges: readonly GaugeSource[];
  readonly flowControl: RunningFlowControl;
}

function createServer(host: Host, ground: ServerGround): ApiServer {
  const { store, watchCache, registries, access, options, flowControl } = ground;
  const gauges = [...ground.gauges, ...ground.books.gauges];
  const storeAnswers = async (): Promise<string | undefined> => {
    try {
      await store.currentRevision();
      return undefined;
    } catch (error) {
      return String(error);
    }
  };
  const loaded = (): Promise<string | undefined> => {
    const late = watchCache.resources.filter((resource) => !resource.ready);
    return Promise.resolve(
      late.length === 0 ? undefined : late.map(({ layout }) => layout.label).join(", "),
    );
  };
  return createApiServer(host, {
    schema: servedSchema(options),
    registries,
    ...access,
    version: versionDocument,
    accountant: ground.books.accountant,
    auditor: ground.books.auditor,
    ledger: ground.books.ledger,
    healthChecks: [
      { name: "etcd", on: ["livez", "readyz"], check: storeAnswers },
      { name: "etcd-readiness", on: ["readyz"], check: storeAnswers },
      { name: "informer-sync", on: ["readyz"], check: loaded },
    ],
    components: () =>
      ["controller-manager", "scheduler", "etcd-0"].map((name) => {
        const healthy = name === "etcd-0" || options.controllersBeside;
        return { name, healthy, message: healthy ? "ok" : "there is none here" };
      }),
    gauges,
    histograms: flowControl.histograms,
    gate: flowControl.gate,
    debugPages: flowControl.debugPages,
    nodeStreams: options.nodeStreams,
    nodeMetrics: options.nodeMetrics,
    labour: options.labour,
    options: {
      ...options.limits,
      externalAddress: options.externalAddress,
    },
  });
}
