// A control plane in this Node process: keys, store, server and listener put together, and taken apart in order.
import { Ledger, ledgerDefaults } from "../accounting/ledger/ledger.ts";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import { parseTokenFile } from "../access/authentication/static-token.ts";
import type { NodeMetrics } from "../api/node-metrics.ts";
import type { NodeStreams } from "../api/node-streams.ts";
import { runawayLawDefaults } from "../access/runaway-owner/law.ts";
import { noLabour } from "../apiserver/parts.ts";
import { type ControlPlane, createControlPlane } from "../cluster/control-plane.ts";
import { type ComponentList, componentsOf, diskComponents } from "../cluster/component-list.ts";
import { startElected } from "../cluster/elected.ts";
import { startControllerManager } from "../cluster/controller-manager.ts";
import {
  type KubernetesProfile,
  kubernetesProfile,
  minorNewest,
  minorOldest,
  parseMinor,
  withoutTaintManager,
} from "../cluster/kubernetes-profile.ts";
import { NodeRoutes } from "../cluster/node-routes.ts";
import { nodeFleet } from "../kubelet/fleet.ts";
import { openAudit } from "./open-audit.ts";
import type { Component } from "../informer/component.ts";
import type { Host } from "../host/host.ts";
import type { ConnectionLimits } from "../host/node/connection-limits.ts";
import { type Listener, PortTakenError, listen } from "../host/node/listener.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import { processFigures } from "../host/node/process-figures.ts";
import { createTokenSigner } from "../host/node/token-signer.ts";
import { DataFolderError } from "../storage/lmdb/data-folder-error.ts";
import { type FolderLock, lockFolder } from "../storage/lmdb/folder-lock.ts";
import type { Store } from "../storage/store.ts";
import { connectionLimitsOf, serverLimitsOf } from "./guard-flags.ts";
import { flowControlChoice } from "./flow-control-choice.ts";
import { kubeconfigText, writeKubeconfig } from "./kubeconfig.ts";
import { type StartOptions, UsageError } from "./options.ts";
import { type Keys, openKeys } from "./pki-folder.ts";
import { describeStore, openStore } from "./store.ts";
import { messageOf } from "../std/error-message.ts";

export interface RunningControlPlane {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** YAML with the administrator's credentials. */
  readonly kubeconfig: string;
  /** Where it was written, if it was. */
  readonly kubeconfigPath: string | undefined;
  /** Where objects are kept, for people. */
  readonly storeDescription: string;
  /** Refuses new requests, ends watches cleanly, finishes what is under way, syncs, frees port and folder. */
  stop(): Promise<void>;
}

/** How long exchanges under way may take to finish at a stop. */
const drainMs = 5_000;
const defaultServiceRange = "10.96.0.0/16";

/** Several can run in one process. Rejects with UsageError when something on this machine stands in the way. */
export async function startControlPlane(options: StartOptions = {}): Promise<RunningControlPlane> {
  const profile = profileOf(options);
  const tokens = options.tokenAuthFile === undefined ? "" : readTokenFile(options.tokenAuthFile);
  const host = createNodeHost(options.logLevel ?? "warn", (line) => console.error(line));
  const store = await openStore(host, options);
  let claim: FolderLock | undefined;
  try {
    claim = await claimKubeconfig(options);
    const running = await serve(host, store, { options, profile, tokens });
    return { ...running, stop: () => running.stop().finally(() => claim?.release()) };
  } catch (error) {
    await claim?.release();
    await store.close();
    throw error;
  }
}

/** `<dataDir>/kubeconfig` has one owner, whatever the store: another server would leave it at an address that is gone. */
async function claimKubeconfig(options: StartOptions): Promise<FolderLock | undefined> {
  if (options.dataDir === undefined || options.kubeconfigPath !== undefined) return undefined;
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  try {
    return await lockFolder(resolve(options.dataDir));
  } catch (error) {
    if (!(error instanceof DataFolderError)) throw error;
    throw new UsageError(`${error.message}, or another kubeconfig with --kubeconfig`, {
      cause: error,
    });
  }
}

function profileOf({ kubernetesVersion, taintManager = true }: StartOptions): KubernetesProfile {
  const minor = kubernetesVersion === undefined ? minorNewest : parseMinor(kubernetesVersion);
  if (minor === undefined)
    throw new UsageError(
      `--kubernetes-version ${kubernetesVersion} is not known; give one from 1.${minorOldest} to 1.${minorNewest}`,
    );
  const profile = kubernetesProfile(minor);
  const chosen = taintManager ? profile : withoutTaintManager(profile);
  if (chosen !== undefined) return chosen;
  throw new UsageError(
    `--no-taint-manager: Kubernetes 1.${minor} has no switch for it; 1.26 was the last, --kubernetes-version 1.26`,
  );
}

/** Parsed here already, so that a mistake in it costs nothing and is told in plain words. */
function readTokenFile(path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    parseTokenFile(text);
    return text;
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(`--token-auth-file ${path}: ${why}`, { cause: error });
  }
}

interface ServeOptions {
  readonly options: StartOptions;
  readonly profile: KubernetesProfile;
  readonly tokens: string;
}

async function serve(
  host: Host,
  store: Store,
  { options, profile, tokens }: ServeOptions,
): Promise<RunningControlPlane> {
  const address = options.bindAddress ?? "127.0.0.1";
  const serviceRange = options.serviceClusterIpRange ?? defaultServiceRange;
  const folder = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  const names = serverNames(address, serviceRange, options.certificateNames ?? []);
  const keys = await openKeys(
    folder === undefined ? undefined : join(folder, "pki"),
    names,
    host.clock.now(),
  );
  const nodeRoutes = new NodeRoutes();
  let controlPlane: ControlPlane | undefined;
  // The port is taken first: its number goes into objects, and a taken port should cost no work.
  const limits = connectionLimitsOf(options, profile.http2StreamsMax);
  const listener = await open(host, { options, keys, limits }, (request) =>
    controlPlane === undefined
      ? Promise.resolve({ status: 503, headers: [["retry-after", "1"]], body: "starting" })
      : controlPlane.handle(request),
  );
  try {
    controlPlane = await createControlPlane(host, store, {
      profile,
      tokenSigner: createTokenSigner(keys.serviceAccountKey),
      caBundle: keys.pki.ca.certificate,
      externalAddress: `${urlHost(address)}:${listener.port}`,
      advertiseAddress: advertised(address),
      advertisePort: listener.port,
      serviceClusterIpRange: serviceRange,
      hostname: hostname(),
      storagePrefix: options.etcd?.prefix ?? "/registry",
      sharedStore: options.etcd !== undefined,
      ledger: ledgerOf(host, options),
      audit: options.audit && openAudit(options.audit, () => host.clock.now()),
      runawayOwnerLimit: options.runawayOwnerLimit ?? runawayLawDefaults.limit,
      flowControl: flowControlChoice(options, profile),
      limits: serverLimitsOf(options),
      controllersBeside: options.controllers ?? false,
      processFigures: [...processFigures(), ...listener.figures],
      nodeStreams: nodeRoutes,
      nodeMetrics: nodeRoutes,
      labour: noLabour,
      tokens,
    });
  } catch (error) {
    await listener.close(0);
    throw error;
  }
  const controllers = startComponents(host, { controlPlane, nodeRoutes, profile }, options);
  return running({ store, listener, controlPlane, controllers, keys, folder, address, options });
}

function ledgerOf(
  { clock }: Host,
  { ledgerRows: rowsMax = ledgerDefaults.rowsMax }: StartOptions,
): Ledger | undefined {
  return rowsMax === 0 ? undefined : new Ledger(clock, { ...ledgerDefaults, rowsMax });
}

interface Served {
  readonly controlPlane: ControlPlane;
  /** Leads the control plane to the nodes that are started. */
  readonly nodeRoutes: NodeRoutes;
  readonly profile: KubernetesProfile;
}

/** Nodes run where they were asked for; controllers on one store run in one process at a time. */
function startComponents(
  host: Host,
  { controlPlane, nodeRoutes, profile }: Served,
  { controllers = false, nodes = 0, etcd, apiRateLimit: rateLimit }: StartOptions,
): readonly Component[] {
  const { handle } = controlPlane;
  const { reflector } = profile;
  const manager = (components: ComponentList): Component =>
    startControllerManager(host, handle, {
      components,
      reflector,
      freeze: false,
      ...(rateLimit === undefined ? {} : { rateLimit }),
    });
  const components = componentsOf(profile);
  const lead = (streams: NodeStreams, metrics: NodeMetrics): void =>
    nodeRoutes.lead(streams, metrics);
  const fleet = nodeFleet({ nodes, profile: profile.kubelet, lead });
  const kubelets: ComponentList = nodes === 0 ? [] : [["kubelet", fleet]];
  // Simulated nodes bring simulated disks.
  const all = nodes === 0 ? components : [...components, ...diskComponents];
  // In one manager they share their views: each change of a pod is decoded once, and each object is held once.
  if (controllers && etcd === undefined) return [manager([...all, ...kubelets])];
  const started = nodes === 0 ? [] : [manager(kubelets)];
  if (!controllers) return started;
  const identity = `${hostname()}_${randomUUID()}`;
  return [...started, startElected(host, handle, { identity, start: () => manager(all) })];
}

interface Parts {
  readonly store: Store;
  readonly listener: Listener;
  readonly controlPlane: ControlPlane;
  readonly controllers: readonly Component[];
  readonly keys: Keys;
  readonly folder: string | undefined;
  readonly address: string;
  readonly options: StartOptions;
}

function running(parts: Parts): RunningControlPlane {
  const { store, listener, controlPlane, controllers, keys, folder, address, options } = parts;
  const url = `https://${urlHost(address)}:${listener.port}`;
  const kubeconfig = kubeconfigText(url, keys.pki);
  const kubeconfigPath =
    options.kubeconfigPath ?? (folder === undefined ? undefined : join(folder, "kubeconfig"));
  if (kubeconfigPath !== undefined) writeKubeconfig(kubeconfigPath, kubeconfig);
  return {
    url,
    kubeconfig,
    kubeconfigPath,
    storeDescription: describeStore(options),
    async stop() {
      await Promise.all(controllers.map((component) => component.stop()));
      const answered = await within(drainMs, controlPlane.drain());
      await listener.close(answered ? drainMs : 0);
      await controlPlane.close();
      await store.close();
    },
  };
}

/** Whether `work` was done in time; a client that stopped sending or reading must not hold up a stop. */
function within(ms: number, work: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(false), ms);
    work.then(() => resolve(true), reject).finally(() => clearTimeout(late));
  });
}

interface Door {
  readonly options: StartOptions;
  readonly keys: Keys;
  readonly limits: ConnectionLimits;
}

async function open(
  host: Host,
  { options, keys, limits }: Door,
  handler: Parameters<typeof listen>[1],
): Promise<Listener> {
  const port = options.port ?? 0;
  const address = options.bindAddress ?? "127.0.0.1";
  try {
    return await listen(
      {
        port,
        address,
        certificate: keys.pki.server.certificate,
        key: keys.pki.server.key,
        clientCa: keys.pki.ca.certificate,
        log: host.log,
        limits,
      },
      handler,
    );
  } catch (error) {
    if (error instanceof PortTakenError)
      throw new UsageError(
        `port ${port} on ${address} is taken by another process; choose one with --port, or --port 0 for any free one`,
        { cause: error },
      );
    if (["ENOTFOUND", "EADDRNOTAVAIL", "EACCES", "EAI_AGAIN"].includes(codeOf(error)))
      throw new UsageError(
        `cannot listen on port ${port} of ${address} (${codeOf(error)}); --bind-address takes an address of this machine, and ports below 1024 need privileges`,
        { cause: error },
      );
    throw error;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "";
}

function serverNames(address: string, serviceRange: string, more: readonly string[]): string[] {
  const names = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "localhost",
    "127.0.0.1",
    "::1",
    firstAddress(serviceRange),
    ...(address === "0.0.0.0" || address === "::" ? [] : [address]),
    ...more,
  ];
  return [...new Set(names)];
}

/** 10.96.0.0/16 -> 10.96.0.1: the address of the `kubernetes` Service. */
function firstAddress(cidr: string): string {
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/\d+$/.exec(cidr)?.slice(1).map(Number);
  if (parts === undefined)
    throw new UsageError(`--service-cluster-ip-range ${cidr} is no IPv4 range like 10.96.0.0/16`);
  return [...parts.slice(0, 3), (parts[3] ?? 0) + 1].join(".");
}

/** As kube-apiserver: the bind address, or for loopback and "all" the machine's first other IPv4 address. */
function advertised(address: string): string | undefined {
  const own = /^(127\.|0\.0\.0\.0$|::)/.test(address);
  if (!own) return address;
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}

function urlHost(address: string): string {
  if (address === "0.0.0.0" || address === "::") return "127.0.0.1";
  return address.includes(":") ? `[${address}]` : address;
}
