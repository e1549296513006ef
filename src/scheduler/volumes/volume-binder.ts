// The scheduler's part in binding volumes: what it has reserved for pods that it has placed, the writes that tell the
// volume controllers, and the wait until they have bound every claim (upstream: plugins/volumebinding/binder.go).
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.ts";
import type { CSINode, StorageClass } from "../../api/types/storage-v1.ts";
import { volumeAnnotations } from "../../api/volume/annotations.ts";
import type { Client } from "../../client/client.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { keyOf } from "../../client/served-object.ts";
import { AbortedError } from "../../client/waiting.ts";
import type { Cancel, Clock } from "../../host/host.ts";
import type { Informer } from "../../informer/informer.ts";
import type { InformerSet } from "../../informer/informer-set.ts";
import type { NodeFacts } from "../cluster-state.ts";
import type { PodFacts } from "../pod-facts.ts";
import { decideVolumes, isBound, sortClaims } from "./decide.ts";
import type { Claim, Volume, VolumeView } from "./volume-view.ts";

/** What a pod needs before it can be bound; empty for nearly all. */
export interface Reservation {
  readonly volumes: readonly Volume[];
  readonly claims: readonly Claim[];
  /** All claims of the pod that are not bound yet. */
  readonly awaited: readonly string[];
}

const nothing: Reservation = { volumes: [], claims: [], awaited: [] };
/** bindTimeoutSeconds of the plugin's arguments. */
const bindMsMax = 600_000;

interface Wait {
  readonly awaited: readonly string[];
  readonly node: string;
  done(): void;
  fail(why: Error): void;
}

export class VolumeBinder implements VolumeView {
  readonly informers: readonly { whenSynced(signal: AbortSignal): Promise<void> }[];
  readonly #clock: Clock;
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly #volumes: Informer<PersistentVolume>;
  readonly #classes: Informer<StorageClass>;
  readonly #csiNodes: Informer<CSINode>;
  readonly #claimClient: ResourceClient<PersistentVolumeClaim>;
  readonly #volumeClient: ResourceClient<PersistentVolume>;
  readonly #assumedClaims = new Map<string, Claim>();
  readonly #assumedVolumes = new Map<string, Volume>();
  readonly #waits = new Set<Wait>();

  constructor(clock: Clock, informers: InformerSet, client: Client) {
    this.#clock = clock;
    this.#claims = informers.of("persistentvolumeclaims");
    this.#volumes = informers.of("persistentvolumes");
    this.#classes = informers.of("storageclasses.storage.k8s.io");
    this.#csiNodes = informers.of("csinodes.storage.k8s.io");
    this.#claimClient = client.resource("persistentvolumeclaims");
    this.#volumeClient = client.resource("persistentvolumes");
    this.informers = [this.#claims, this.#volumes, this.#classes, this.#csiNodes];
  }

  /** Pods that wait for their volumes. */
  get waiting(): number {
    return this.#waits.size;
  }

  /** `onChange`: pods that found no volume may find one now. After the informers are synced. */
  start(onChange: () => void): void {
    this.#claims.addHandler(({ object }) => {
      this.#assumedClaims.delete(keyOf(object));
      this.#lookAgain();
      onChange();
    });
    this.#volumes.addHandler(({ object }) => {
      this.#assumedVolumes.delete(object.metadata.name);
      onChange();
    });
    this.#classes.addHandler(onChange);
    this.#csiNodes.addHandler(onChange);
  }

  stop(): void {
    for (const wait of this.#waits) wait.fail(new AbortedError());
  }

  /* ---- the view ---- */

  claim(key: string): Claim | undefined {
    return this.#assumedClaims.get(key) ?? this.#claims.lister.find(key);
  }

  volume(name: string): Volume | undefined {
    return this.#assumedVolumes.get(name) ?? this.#volumes.lister.find(name);
  }

  volumes(): readonly Volume[] {
    const all = this.#volumes.lister.list();
    if (this.#assumedVolumes.size === 0) return all;
    return all.map((volume) => this.#assumedVolumes.get(volume.metadata.name) ?? volume);
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#classes.lister.find(name);
  }

  attachMax(node: string, driver: string): number | undefined {
    const { drivers = [] } = this.#csiNodes.lister.find(node)?.spec ?? {};
    return drivers.find(({ name }) => name === driver)?.allocatable?.count;
  }

  /* ---- a pod that was placed ---- */

  reserve({ claims }: PodFacts, node: NodeFacts): Reservation {
    if (claims.length === 0) return nothing;
    const sorted = sortClaims(claims, this);
    if (typeof sorted === "string" || sorted.delayed.length === 0) return nothing;
    const decision = decideVolumes(sorted.delayed, node.node, this);
    if (decision === undefined) return nothing;
    const reservation: Reservation = {
      volumes: decision.bindings.map(({ volume, claim }) => reservedFor(volume, claim)),
      claims: decision.provisions.map((claim) => selecting(claim, node.name)),
      awaited: sorted.delayed.map(keyOf),
    };
    for (const volume of reservation.volumes)
      this.#assumedVolumes.set(volume.metadata.name, volume);
    for (const claim of reservation.claims) this.#assumedClaims.set(keyOf(claim), claim);
    return reservation;
  }

  /** Resolves when every claim is bound. Rejects when a write was refused, or nobody has made the volume in time. */
  async carryOut({ volumes, claims, awaited }: Reservation, node: string): Promise<void> {
    if (awaited.length === 0) return;
    for (const volume of volumes) await this.#volumeClient.update(volume);
    for (const claim of claims) {
      const known = this.#claims.lister.find(keyOf(claim));
      const selected = known?.metadata.annotations?.[volumeAnnotations.selectedNode];
      if (selected !== node) await this.#claimClient.update(claim);
    }
    await this.#untilBound(awaited, node);
  }

  release({ volumes, claims }: Reservation): void {
    for (const { metadata } of volumes) this.#assumedVolumes.delete(metadata.name);
    for (const claim of claims) this.#assumedClaims.delete(keyOf(claim));
  }

  #untilBound(awaited: readonly string[], node: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let cancel: Cancel = () => undefined;
      const end = (): void => {
        cancel();
        this.#waits.delete(wait);
      };
      const wait: Wait = {
        awaited,
        node,
        done() {
          end();
          resolve();
        },
        fail(why) {
          end();
          reject(why);
        },
      };
      this.#waits.add(wait);
      cancel = this.#clock.after(bindMsMax, () => wait.fail(new BindingError("timed out")));
      this.#judge(wait);
    });
  }

  #lookAgain(): void {
    for (const wait of this.#waits) this.#judge(wait);
  }

  #judge(wait: Wait): void {
    let isDone = true;
    for (const key of wait.awaited) {
      const claim = this.#claims.lister.find(key);
      if (claim === undefined) return wait.fail(new BindingError(`claim ${key} is gone`));
      if (!isBound(claim)) isDone = false;
    }
    if (isDone) wait.done();
  }
}

/** Of binding a pod's volumes. */
export class BindingError extends Error {
  override readonly name = "BindingError";
  constructor(why: string) {
    super(`binding volumes: ${why}`);
  }
}

function reservedFor(volume: Volume, claim: Claim): Volume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  if (volume.spec?.claimRef?.uid === uid) return volume;
  const claimRef = {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    namespace: namespace ?? "",
    name,
    uid,
    resourceVersion,
  };
  const byUs =
    volume.spec?.claimRef === undefined ? { [volumeAnnotations.boundByController]: "yes" } : {};
  const annotations = { ...volume.metadata.annotations, ...byUs };
  return {
    ...volume,
    metadata: { ...volume.metadata, annotations },
    spec: { ...volume.spec, claimRef },
  };
}

function selecting(claim: Claim, node: string): Claim {
  const annotations = { ...claim.metadata.annotations, [volumeAnnotations.selectedNode]: node };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}
