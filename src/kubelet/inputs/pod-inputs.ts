// What a pod needs of the API before its containers may start, and while they run: its volumes mounted, the environment
// of each container looked up, its pull secrets read. The plan sees the outcome as data; this is the edge that gets it.
import type { Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import type { Cancel, Clock } from "../../host/host.ts";
import type { ConfigOutcome, Saying } from "../scene.ts";
import type { NodeObjects } from "../objects/node-objects.ts";
import type { ObjectKind, Reading } from "../objects/object-source.ts";
import type { PodRuntime } from "../pod-runtime.ts";
import type { KubeletProfile } from "../profile.ts";
import { envFailure, envNeedsOf } from "./env-need.ts";
import { VolumeMount } from "./volume-mount.ts";
import { volumeNeedsOf } from "./volume-need.ts";

export interface InputsSite {
  readonly clock: Clock;
  readonly profile: KubeletProfile;
  readonly objects: NodeObjects;
  say(saying: Saying): void;
  /** Something came that the plan waited for. */
  changed(): void;
}

export class PodInputs {
  readonly #site: InputsSite;
  readonly #pod: Served<Pod>;
  readonly #mounts: readonly VolumeMount[];
  /** Undefined: asked for, not there yet. */
  readonly #configs = new Map<string, ConfigOutcome | undefined>();
  #begun = false;
  #slow: Cancel = () => undefined;

  /** Nothing of the pod that it looks at ever changes. */
  constructor(site: InputsSite, pod: Served<Pod>) {
    this.#site = site;
    this.#pod = pod;
    const { clock, profile } = site;
    this.#mounts = volumeNeedsOf(pod).map(
      (need) =>
        new VolumeMount(clock, need, {
          law: profile.mount,
          listener: {
            read: ({ kind, name }) => this.#read(kind, name),
            failed: (message) => site.say({ type: "Warning", reason: "FailedMount", message }),
            mounted: () => this.#onMounted(),
          },
        }),
    );
  }

  /** All volumes are there. */
  get mounted(): boolean {
    return this.#begun && this.#mounts.every(({ isMounted }) => isMounted);
  }

  configOf(container: string): ConfigOutcome | undefined {
    return this.#configs.get(container);
  }

  /** The node has taken the pod. */
  begin(): void {
    if (this.#begun) return;
    this.#site.objects.register(this.#pod);
    for (const mount of this.#mounts) mount.begin();
    this.#begun = true;
    if (this.mounted) this.#readPullSecrets();
    else this.#expectMounts();
  }

  /** The kubelet looks at every pod about once a minute. */
  resync(): void {
    if (!this.mounted) return;
    for (const mount of this.#mounts) mount.refresh();
    this.#readPullSecrets();
  }

  /** The plan has gone on: containers that wait for their environment get it looked up, others need none. */
  follow(runtime: PodRuntime): void {
    for (const [name, { stage }] of Object.entries(runtime.containers)) {
      if (stage.is !== "configuring") this.#configs.delete(name);
      else if (!this.#configs.has(name)) void this.#lookUp(name);
    }
  }

  /** Power is gone, and the kubelet with all it knew; `begin` starts anew. */
  lose(): void {
    this.#pause();
    for (const mount of this.#mounts) mount.lose();
    this.#configs.clear();
  }

  /** Nothing of the pod runs here any more. */
  end(): void {
    this.#pause();
    this.#site.objects.unregister(this.#pod.metadata.uid);
  }

  #pause(): void {
    this.#begun = false;
    this.#slow();
    for (const mount of this.#mounts) mount.stop();
  }

  #onMounted(): void {
    if (!this.mounted) return;
    this.#slow();
    this.#readPullSecrets();
    this.#site.changed();
  }

  /** Older kubelets say so each time they have waited for long. */
  #expectMounts(): void {
    const { clock, profile } = this.#site;
    const { waitMs, overdue } = profile.mount;
    if (overdue === "silent") return;
    this.#slow = clock.after(waitMs, () => {
      const open = this.#mounts.filter(({ isMounted }) => !isMounted);
      const unmounted = open.map(({ need }) => need.volume).join(" ");
      const all = (this.#pod.spec?.volumes ?? []).map(({ name }) => name).join(" ");
      const unattached =
        overdue === "unattached volumes"
          ? `unattached volumes=[${all}]`
          : "unattached volumes=[], failed to process volumes=[]";
      const message = `Unable to attach or mount volumes: unmounted volumes=[${unmounted}], ${unattached}: timed out waiting for the condition`;
      this.#site.say({ type: "Warning", reason: "FailedMount", message });
      this.#expectMounts();
    });
  }

  #read(kind: ObjectKind, name: string): Reading | Promise<Reading> {
    const { namespace = "" } = this.#pod.metadata;
    return this.#site.objects.read(kind, { namespace, name });
  }

  async #lookUp(container: string): Promise<void> {
    this.#configs.set(container, undefined);
    const { initContainers = [], containers = [] } = this.#pod.spec ?? {};
    const own = [...initContainers, ...containers].find(({ name }) => name === container);
    const { namespace = "" } = this.#pod.metadata;
    let failure: string | undefined;
    for (const need of own === undefined ? [] : envNeedsOf(own)) {
      failure = envFailure(need, await this.#read(need.kind, need.name), namespace);
      if (failure !== undefined) break;
    }
    // Power may be gone meanwhile.
    if (!this.#configs.has(container)) return;
    this.#configs.set(container, failure === undefined ? { is: "ready" } : { is: "bad", failure });
    this.#site.changed();
  }

  /** Missing ones stop nothing: the image may be public. */
  #readPullSecrets(): void {
    const names = (this.#pod.spec?.imagePullSecrets ?? []).flatMap(({ name }) => name ?? []);
    if (names.length === 0) return;
    const readings = names.map(async (name) => (await this.#read("secret", name)).is);
    void Promise.all(readings).then((all) => {
      const failed = names.filter((_, index) => all[index] !== "found");
      if (failed.length === 0 || !this.#begun) return;
      const message = `Unable to retrieve some image pull secrets (${failed.join(", ")}); attempting to pull the image may not succeed.`;
      const reason = "FailedToRetrieveImagePullSecret";
      this.#site.say({ type: "Warning", reason, message });
    });
  }
}
