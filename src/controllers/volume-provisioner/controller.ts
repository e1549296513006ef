// Makes volumes for claims of the simulated disks' class, and throws away those whose claims are gone. It runs where
// there are simulated nodes, and gives a cluster without any StorageClass one that is the default.
import { volumeAnnotations } from "../../api/volume/annotations.ts";
import { claimClassOf } from "../../api/volume/match.ts";
import { userIdentity } from "../../client/identity.ts";
import { reasonOf } from "../../client/reason.ts";
import { keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { isWaste, volumeFor, wantsVolume } from "./plan.ts";
import { simulatedDisks, standardClass } from "./profile.ts";

const workers = 4;
/** The add-on of an administrator, as provisioners are. */
const user = "system:wavetank:volume-provisioner";
const rateLimit = { qps: 100, burst: 200 };
/** The key under which the default class is looked after; objects have none like it. */
const classKey = "//default-class";

export function createVolumeProvisioner(context: ComponentContext): Component {
  const { host, informers } = context;
  const identity = userIdentity(host.digest, user, ["system:masters"]);
  const client = context.clientAs("volume-provisioner", identity, { rateLimit });
  const claims = informers.of("persistentvolumeclaims");
  const volumes = informers.of("persistentvolumes");
  const classes = informers.of("storageclasses.storage.k8s.io");
  const nodes = informers.of("nodes");
  const recorder = context.recorderOf(simulatedDisks, client);

  const provision = async (key: string): Promise<void> => {
    const claim = claims.lister.find(key);
    if (claim === undefined) return;
    const storageClass = classes.lister.find(claimClassOf(claim));
    if (storageClass === undefined || !wantsVolume(claim, storageClass)) return;
    const selected = claim.metadata.annotations?.[volumeAnnotations.selectedNode] ?? "";
    const volume = volumeFor(claim, storageClass, nodes.lister.find(selected));
    const name = volume.metadata.name ?? "";
    // It was made before, and its claim will learn of it.
    if (volumes.lister.find(name) !== undefined) return;
    const said = `External provisioner is provisioning volume for claim "${key}"`;
    recorder.event(claim, "Normal", "Provisioning", said);
    try {
      await client.resource("persistentvolumes").create(volume);
    } catch (error) {
      if (reasonOf(error) !== "AlreadyExists") throw error;
      return;
    }
    const done = `Successfully provisioned volume ${name}`;
    recorder.event(claim, "Normal", "ProvisioningSucceeded", done);
  };

  const throwAway = async (name: string): Promise<void> => {
    const volume = volumes.lister.find(name);
    if (volume === undefined || !isWaste(volume)) return;
    const { uid } = volume.metadata;
    await client.resource("persistentvolumes").delete({ name }, { preconditions: { uid } });
  };

  const makeClass = async (): Promise<void> => {
    if (classes.lister.list().length > 0) return;
    await client.resource("storageclasses.storage.k8s.io").create(standardClass);
  };

  const controller = new Controller(host, {
    name: "volume-provisioner",
    workers,
    retry: retryUsual,
    sync: (key) => {
      if (key === classKey) return makeClass();
      return key.includes("/") ? provision(key) : throwAway(key);
    },
  });
  controller.needs(nodes);
  controller.watch(claims, ({ object }) => [keyOf(object)]);
  controller.watch(volumes, ({ object }) => [keyOf(object)]);
  controller.watch(classes, ({ object }) =>
    claims.lister
      .list()
      .filter((claim) => claimClassOf(claim) === object.metadata.name)
      .map(keyOf),
  );
  return {
    start() {
      controller.start();
      controller.queue.add(classKey);
    },
    stop: () => controller.stop(),
  };
}
