// One pod on one node: the edge between the plan and the world. It steps the plan when the object or the time says so,
// records what the node says, and writes the status when it differs; it is the only place of this folder that writes
// pods (upstream: pod_workers.go, status_manager.go).
import type { Pod, PodStatus } from "../api/types/core-v1.ts";
import { type Amounts, podRequests } from "../api/pod/amounts.ts";
import { isCallFailure, reasonOf } from "../client/reason.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import { type Served, keyOf, refOf } from "../client/served-object.ts";
import { AbortedError } from "../client/waiting.ts";
import type { Cancel, Host } from "../host/host.ts";
import { type EventRecorder, referenceTo } from "../informer/event-recorder.ts";
import { formatTime } from "../api/codec/time.ts";
import type { Rejection } from "./admission.ts";
import type { Saying } from "./scene.ts";
import { PodInputs } from "./inputs/pod-inputs.ts";
import type { NodeObjects } from "./objects/node-objects.ts";
import { type Ground, adoptPod, advancePod, loseContainers } from "./plan.ts";
import { freshRuntime, type PodRuntime, seenRuntime } from "./pod-runtime.ts";
import { type Addresses, podStatusOf } from "./pod-status.ts";
import { RememberedParts } from "./pod-part.ts";
import type { KubeletProfile } from "./profile.ts";
import { isSameOutline, statusPatchOf } from "./status-patch.ts";
import { encodeUtf8 } from "../std/utf8.ts";

/** What a pod needs of its node. */
export interface PodSite {
  readonly host: Host;
  readonly pods: ResourceClient<Pod>;
  readonly profile: KubeletProfile;
  readonly objects: NodeObjects;
  /** Images that the node has; pods add to them. */
  readonly images: Set<string>;
  recorder(): EventRecorder;
  /** Whether the node reaches the server. */
  isConnected(): boolean;
  /** Asked once, for a pod that comes anew. */
  refusal(pod: Pod): Rejection | undefined;
  hostAddress(): string;
  /** An address for a pod that has none. */
  takeAddress(): string;
  /** The address that a pod says it has. False: it is another one's. */
  claimAddress(address: string): boolean;
  giveBackAddress(address: string): void;
}

export class PodAgent {
  readonly requests: Amounts;
  readonly #site: PodSite;
  readonly #inputs: PodInputs;
  readonly #parts = new RememberedParts();
  #pod: Served<Pod>;
  #runtime: PodRuntime | undefined;
  #rejected: Rejection | undefined;
  #address = "";
  #timer: Cancel = () => undefined;
  /** When the plan goes on by itself; wall clock. */
  #nextAt: number | undefined;
  #over = false;
  #removed = false;
  #busy = false;
  #dirty = false;
  #stopped = false;

  constructor(site: PodSite, pod: Readonly<Served<Pod>>) {
    this.#site = site;
    this.#pod = pod;
    this.requests = podRequests(pod.spec);
    this.#inputs = new PodInputs(
      {
        clock: site.host.clock,
        profile: site.profile,
        objects: site.objects,
        say: (saying) => this.#say(saying),
        changed: () => this.kick(),
      },
      pod,
    );
    this.#runtime = adoptPod(pod, site.host.clock.now());
    this.#claimAddress();
  }

  /** It occupies what it requests. */
  get isActive(): boolean {
    return this.#runtime !== undefined && !this.#over && !isTerminal(this.#pod);
  }

  /** The object as somebody else changed it. */
  observe(pod: Readonly<Served<Pod>>): void {
    if (Number(pod.metadata.resourceVersion) <= Number(this.#pod.metadata.resourceVersion)) return;
    this.#pod = pod;
    this.kick();
  }

  /** Looks at everything again, now. */
  kick(): void {
    this.#dirty = true;
    if (this.#busy || this.#stopped) return;
    this.#busy = true;
    void this.#work();
  }

  /** About once a minute. */
  resync(): void {
    if (!this.#stopped) this.#inputs.resync();
  }

  /** The process of a container, if it runs, exits now. */
  exitContainer(name: string, exitCode: number): void {
    const runtime = this.#runtime;
    const own = runtime?.containers[name];
    if (runtime === undefined || own?.stage.is !== "running") return;
    const stage = { ...own.stage, endsAt: this.#site.host.clock.now(), exitCode };
    this.#runtime = {
      ...runtime,
      containers: { ...runtime.containers, [name]: { ...own, stage } },
    };
    this.kick();
  }

  /** The machine lost power: what ran is gone. Nothing happens until `resume`. */
  loseContainers(): void {
    if (this.#runtime !== undefined)
      this.#runtime = loseContainers(this.#runtime, this.#site.host.clock.now());
    this.#giveBackAddress();
    this.#inputs.lose();
    this.stop();
  }

  resume(): void {
    this.#stopped = false;
    this.kick();
  }

  /** Nothing more happens with it here. */
  stop(): void {
    this.#stopped = true;
    this.#timer();
    this.#inputs.end();
  }

  /** The pod is gone from the node for good. */
  end(): void {
    this.stop();
    this.#over = true;
    this.#giveBackAddress();
  }

  async #work(): Promise<void> {
    try {
      while (this.#dirty && !this.#stopped) {
        this.#dirty = false;
        await this.#sync();
      }
    } catch (error) {
      this.#complain(error);
      this.#wake(this.#site.profile.retryMs);
    }
    this.#busy = false;
  }

  async #sync(): Promise<void> {
    if (isTerminal(this.#pod)) {
      this.#inputs.end();
      return this.#remove();
    }
    const wanted = this.#step();
    if (!this.#site.isConnected() || this.#saysMoreSoon(wanted)) return;
    await this.#tell(wanted);
    if (this.#over) await this.#remove();
  }

  /** The next state of the plan, as a status. */
  #step(): PodStatus {
    const { host, profile, images } = this.#site;
    const now = host.clock.now();
    this.#runtime ??= this.#admit(now);
    if (this.#rejected !== undefined) return rejectedStatus(this.#pod, this.#rejected, now);
    // Whatever is being stopped gets nothing new.
    if (!this.#runtime.stopping) this.#inputs.begin();
    const parts = this.#parts.of(this.#pod);
    const ground: Ground = {
      now,
      parts,
      profile,
      hasImage: (image) => images.has(image),
      mounted: this.#inputs.mounted,
      configOf: (container) => this.#inputs.configOf(container),
      containerId: (container, run) => this.#containerId(container, run),
    };
    const { runtime, says, pulled, wakeAt, over } = advancePod(this.#pod, this.#runtime, ground);
    this.#runtime = runtime;
    this.#over = over;
    if (over) this.#inputs.end();
    else this.#inputs.follow(runtime);
    for (const image of pulled) images.add(image);
    for (const saying of says) this.#say(saying);
    this.#nextAt = wakeAt;
    if (wakeAt === undefined) this.#timer();
    else this.#wake(wakeAt - now);
    const seen = seenRuntime(runtime, profile.relistMs);
    return podStatusOf(this.#pod, seen, { now, parts, addresses: this.#addresses(runtime) });
  }

  /** A kubelet looks at its containers once a second: what comes in between is told together with what follows. */
  #saysMoreSoon(wanted: PodStatus): boolean {
    const { host, profile } = this.#site;
    if (this.#nextAt === undefined) return false;
    const isSoon = this.#nextAt - host.clock.now() < profile.relistMs;
    return isSoon && isSameOutline(this.#pod.status, wanted);
  }

  #addresses({ networked }: PodRuntime): Addresses {
    const hostIP = this.#site.hostAddress();
    if (this.#pod.spec?.hostNetwork === true) return { hostIP, podIP: hostIP };
    if (networked && this.#address === "") this.#address = this.#site.takeAddress();
    return { hostIP, podIP: this.#address };
  }

  #claimAddress(): void {
    const { spec, status: { podIP = "" } = {} } = this.#pod;
    if (this.#runtime?.networked !== true || spec?.hostNetwork === true) return;
    if (this.#site.claimAddress(podIP)) this.#address = podIP;
  }

  #giveBackAddress(): void {
    if (this.#address !== "") this.#site.giveBackAddress(this.#address);
    this.#address = "";
  }

  #admit(now: number): PodRuntime {
    this.#rejected = this.#site.refusal(this.#pod);
    if (this.#rejected !== undefined) {
      this.#over = true;
      this.#say({ type: "Warning", ...this.#rejected });
    }
    return freshRuntime(now);
  }

  async #tell(wanted: PodStatus): Promise<void> {
    const patch = statusPatchOf(this.#pod, wanted);
    if (patch === undefined) return;
    const options = { subresource: "status" } as const;
    try {
      const ref = refOf(this.#pod);
      this.#pod = await this.#site.pods.patch(ref, { type: "strategic", patch }, options);
    } catch (error) {
      // It is gone; the informer will say so. A lost race is tried again, until the informer tells of another pod.
      if (reasonOf(error) === "NotFound") return this.stop();
      throw error;
    }
  }

  /** The last step of graceful deletion is the node's. */
  async #remove(): Promise<void> {
    const { metadata } = this.#pod;
    if (typeof metadata.deletionTimestamp !== "string" || this.#removed) return;
    if (!this.#site.isConnected()) return;
    this.#removed = true;
    try {
      const preconditions = { uid: metadata.uid };
      await this.#site.pods.delete(refOf(this.#pod), { gracePeriodSeconds: 0, preconditions });
    } catch (error) {
      if (reasonOf(error) === "NotFound") return;
      this.#removed = false;
      throw error;
    }
  }

  #containerId(container: string, run: number): string {
    const text = `${this.#pod.metadata.uid}/${container}/${run}`;
    const bytes = this.#site.host.digest.sha256(encodeUtf8(text));
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return `containerd://${hex}`;
  }

  #say({ type, reason, message, fieldPath }: Saying): void {
    if (!this.#site.isConnected()) return;
    const about = referenceTo(this.#pod, fieldPath);
    this.#site.recorder().eventAbout(about, { type, reason, message });
  }

  #wake(ms: number): void {
    this.#timer();
    if (!this.#stopped) this.#timer = this.#site.host.clock.after(ms, () => this.kick());
  }

  #complain(error: unknown): void {
    if (error instanceof AbortedError) return;
    const fields = { pod: keyOf(this.#pod), error: String(error) };
    const { log } = this.#site.host;
    if (isCallFailure(error)) log.warn("pod status was not written", fields);
    else log.error("pod sync broke", { ...fields, stack: (error as Error).stack ?? "" });
  }
}

function isTerminal({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function rejectedStatus({ metadata }: Pod, rejected: Rejection, now: number): PodStatus {
  const { reason, message } = rejected;
  return {
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase: "Failed",
    reason,
    message: `Pod was rejected: ${message}`,
    startTime: formatTime({ seconds: Math.floor(now / 1_000), nanos: 0 }),
  };
}
