// What nodes ask of the server for the Secrets and ConfigMaps of their pods: the wire, the number of watches by version,
// and what becomes of many mounts at once. Against the real server on virtual time.
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import type { Node, Pod, PodSpec } from "../api/types/core-v1.ts";
import { Client } from "../client/client.ts";
import { nodeIdentity } from "../client/identity.ts";
import type { RateLimit } from "../client/rate-limiter.ts";
import type { Served } from "../client/served-object.ts";
import { PodInputs } from "../kubelet/inputs/pod-inputs.ts";
import { NodeObjects } from "../kubelet/objects/node-objects.ts";
import {
  type ObjectProfile,
  recycled,
  recycledStreamed,
  recycledUnserved,
  watchedForEver,
} from "../kubelet/objects/object-profile.ts";
import type { Reading } from "../kubelet/objects/object-source.ts";
import { kubelet21Repaired, kubeletProfile } from "../kubelet/profile.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

const second = 1_000;
const minute = 60 * second;
const namespace = "default";
const nodeName = "n";

class NodeBed {
  readonly simulated = new SimulatedControlPlane(5, engine);
  readonly admin = this.simulated.client("kubectl");
  readonly asked: string[] = [];
  readonly node: Node = { metadata: { name: nodeName } };
  #pods = 0;
  #own = 0;

  run<T>(promise: Promise<T>): Promise<T> {
    return this.simulated.driver.run(promise, 60 * minute);
  }

  advance(ms: number): Promise<void> {
    return this.simulated.driver.advance(ms);
  }

  /** As the node's own kubelet; every request is written down. */
  objects(profile: ObjectProfile, rateLimit?: RateLimit): NodeObjects {
    const { host, transport } = this.simulated;
    const client = new Client(
      host,
      (request) => {
        this.asked.push(request.target.replace("/api/v1/namespaces/default/", ""));
        return transport(request);
      },
      { userAgent: "kubelet", identity: nodeIdentity(host.digest, nodeName), rateLimit },
    );
    return new NodeObjects(host, { client, profile, node: () => this.node });
  }

  /** A pod that is bound to the node. */
  pod(spec: Partial<PodSpec>): Promise<Served<Pod>> {
    const containers = [{ name: "c", image: "nginx" }];
    const metadata = { name: `p-${this.#pods++}`, namespace };
    const pods = this.admin.resource("pods");
    const plain = { containers, nodeName, automountServiceAccountToken: false };
    return this.run(pods.create({ metadata, spec: { ...plain, ...spec } }));
  }

  async secret(name: string, immutable = false): Promise<void> {
    const secret = { metadata: { name, namespace }, data: { k: "dg==" }, immutable };
    await this.run(this.admin.resource("secrets").create(secret));
  }

  /** Watches of Secrets as the server counts them, without its own. */
  async served(): Promise<number> {
    return (await this.#open()) - this.#own;
  }

  async start(): Promise<void> {
    await this.simulated.start();
    await this.advance(minute);
    this.#own = await this.#open();
  }

  async #open(): Promise<number> {
    const { peer } = this.simulated.admin();
    const answer = await this.run(
      this.simulated.transport({
        method: "GET",
        target: "/metrics",
        headers: {},
        repeated: () => [],
        body: { read: () => Promise.resolve(new Uint8Array(0)) },
        peer,
        signal: new AbortController().signal,
      }),
    );
    const match = /wavetank_watchers\{resource="secrets"\} (\d+)/.exec(String(answer.body));
    return Number(match?.[1] ?? Number.NaN);
  }
}

let bed: NodeBed;

async function up(): Promise<NodeBed> {
  bed = new NodeBed();
  await bed.start();
  const account = { metadata: { name: "default", namespace } };
  await bed.run(
    bed.admin
      .resource("serviceaccounts")
      .create(account)
      .catch(() => undefined),
  );
  return bed;
}

afterEach(() => bed.simulated.stop());

const volumesOf = (...names: string[]): Partial<PodSpec> => ({
  volumes: names.map((secretName, at) => ({ name: `v-${at}`, secret: { secretName } })),
});

const envOf = (...names: string[]): Partial<PodSpec> => ({
  containers: [
    { name: "c", image: "nginx", envFrom: names.map((name) => ({ secretRef: { name } })) },
  ],
});

const name = (which: string): { namespace: string; name: string } => ({ namespace, name: which });

describe("a node's Secrets", () => {
  it("are asked for in the kubelet's words", async () => {
    await up();
    await bed.secret("a");
    const objects = bed.objects(watchedForEver);
    objects.register(await bed.pod(volumesOf("a")));
    await bed.advance(second);
    const [list, watch] = bed.asked;
    expect(list).toBe("secrets?fieldSelector=metadata.name%3Da&limit=500&resourceVersion=0");
    expect(watch).toMatch(
      /^secrets\?allowWatchBookmarks=true&fieldSelector=metadata\.name%3Da&resourceVersion=\d+&timeoutSeconds=\d+&watch=true$/,
    );
    const seconds = Number(/timeoutSeconds=(\d+)/.exec(watch ?? "")?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(300);
    expect(seconds).toBeLessThan(600);
    objects.clear();
  });

  const strategies: [string, ObjectProfile][] = [
    ["Get", { ...watchedForEver, strategy: "Get" }],
    ["Cache", { ...watchedForEver, strategy: "Cache" }],
    ["Watch", watchedForEver],
    ["Watch with a watch-list", recycledStreamed],
  ];

  it.each(strategies)("are there or missing: %s", async (_, profile) => {
    await up();
    await bed.secret("a");
    const objects = bed.objects(profile);
    objects.register(await bed.pod(volumesOf("a", "b")));
    const read = async (which: string): Promise<Reading> =>
      await bed.run(Promise.resolve(objects.read("secret", name(which))));
    expect(await read("a")).toMatchObject({ is: "found", object: { keys: ["k"] } });
    const missing = profile.strategy === "Watch" ? 'secret "b" not found' : 'secrets "b" not found';
    expect(await read("b")).toEqual({ is: "missing", why: missing });
    await bed.secret("b");
    await bed.advance(2 * minute);
    expect(await read("b")).toMatchObject({ is: "found" });
    await bed.run(bed.admin.resource("secrets").delete(name("b")));
    await bed.advance(2 * minute);
    expect(await read("b")).toEqual({ is: "missing", why: missing });
    objects.clear();
  });

  it("of pods of other nodes are none of its business", async () => {
    await up();
    await bed.secret("a");
    const objects = bed.objects({ ...watchedForEver, strategy: "Get" });
    expect(await bed.run(Promise.resolve(objects.read("secret", name("a"))))).toEqual({
      is: "failed",
      why: `secrets "a" is forbidden: User "system:node:n" cannot get resource "secrets" in API group "" in the namespace "default": no relationship found between node 'n' and this object`,
    });
    await bed.pod(envOf("a"));
    expect(await bed.run(Promise.resolve(objects.read("secret", name("a"))))).toMatchObject({
      is: "found",
    });
  });

  it("are read again when the annotation's time is over: Cache", async () => {
    await up();
    await bed.secret("a");
    bed.node.metadata.annotations = { "node.alpha.kubernetes.io/ttl": "15" };
    const objects = bed.objects({ ...watchedForEver, strategy: "Cache" });
    const read = async (): Promise<void> =>
      void (await bed.run(Promise.resolve(objects.read("secret", name("a")))));
    objects.register(await bed.pod(volumesOf("a")));
    await read();
    await bed.advance(14 * second);
    await read();
    await bed.advance(2 * second);
    await read();
    objects.register(await bed.pod(volumesOf("a")));
    await read();
    expect(bed.asked).toEqual(["secrets/a", "secrets/a?resourceVersion=0", "secrets/a"]);
  });

  it("that do not come in a second are a failed mount", async () => {
    await up();
    const objects = bed.objects(watchedForEver, { qps: 0.01, burst: 1 });
    objects.register(await bed.pod(volumesOf("a", "b")));
    await bed.advance(100);
    expect(await bed.run(Promise.resolve(objects.read("secret", name("b"))))).toEqual({
      is: "failed",
      why: "failed to sync secret cache: timed out waiting for the condition",
    });
    objects.clear();
  });

  it("cost one watch however many pods use them, and none when these are gone", async () => {
    await up();
    const objects = bed.objects(watchedForEver);
    const pods = [
      await bed.pod(volumesOf("a", "b")),
      await bed.pod(envOf("a")),
      await bed.pod(envOf("a")),
    ];
    for (const pod of pods) objects.register(pod);
    await bed.advance(second);
    expect([objects.watches, await bed.served()]).toEqual([2, 2]);
    objects.unregister(pods[1]!.metadata.uid);
    objects.unregister(pods[0]!.metadata.uid);
    await bed.advance(second);
    expect([objects.watches, await bed.served()]).toEqual([1, 1]);
    objects.unregister(pods[2]!.metadata.uid);
    await bed.advance(second);
    expect([objects.watches, await bed.served()]).toEqual([0, 0]);
  });
});

interface Use {
  readonly secret: number;
  readonly pod: number;
  readonly as: "volume" | "env";
}

const uses = fc.array(
  fc.record({
    secret: fc.nat(5),
    pod: fc.nat(3),
    as: fc.constantFrom("volume" as const, "env" as const),
  }),
  { minLength: 1, maxLength: 12 },
);

/** The node's pods, started and then looked at each minute for so long. */
async function live(
  profile: ObjectProfile,
  all: readonly Use[],
  minutes: number,
): Promise<NodeObjects> {
  const objects = bed.objects(profile);
  const inputs: PodInputs[] = [];
  for (const which of new Set(all.map(({ pod }) => pod))) {
    const own = (as: Use["as"]): string[] => [
      ...new Set(
        all.filter((use) => use.pod === which && use.as === as).map(({ secret }) => `s-${secret}`),
      ),
    ];
    const pod = await bed.pod({ ...volumesOf(...own("volume")), ...envOf(...own("env")) });
    const { clock } = bed.simulated.host;
    const site = { clock, objects, profile: { ...kubeletProfile, objects: profile } };
    const input = new PodInputs({ ...site, say: () => {}, changed: () => {} }, pod);
    input.begin();
    for (const one of own("env")) await bed.run(Promise.resolve(objects.read("secret", name(one))));
    inputs.push(input);
  }
  for (let at = 0; at < minutes; at++) {
    await bed.advance(minute);
    for (const input of inputs) input.resync();
  }
  return objects;
}

describe("watches on a node", () => {
  const immutables = fc.uniqueArray(fc.nat(5));

  it("follow the arithmetic of each version", async () => {
    await fc.assert(
      fc.asyncProperty(uses, immutables, async (all, immutable) => {
        await up();
        for (let at = 0; at <= 5; at++) await bed.secret(`s-${at}`, immutable.includes(at));
        const mutable = all.filter(({ secret }) => !immutable.includes(secret));
        const distinct = (some: readonly Use[]): number =>
          new Set(some.map(({ secret }) => secret)).size;
        const before = await live(watchedForEver, all, 8);
        expect(before.watches).toBe(distinct(mutable));
        expect(await bed.served()).toBe(before.watches);
        before.clear();
        const after = await live(recycled, all, 8);
        expect(after.watches).toBe(distinct(mutable.filter(({ as }) => as === "volume")));
        after.clear();
        await bed.simulated.stop();
      }),
      { numRuns: 8 },
    );
  });

  it("are begun anew when an idle object is read again", async () => {
    await up();
    await bed.secret("s-0");
    const objects = await live(recycled, [{ secret: 0, pod: 0, as: "env" }], 7);
    expect([objects.watches, objects.starts]).toEqual([0, 1]);
    expect(await bed.run(Promise.resolve(objects.read("secret", name("s-0"))))).toMatchObject({
      is: "found",
    });
    expect([objects.watches, objects.starts]).toEqual([1, 2]);
    objects.clear();
  });

  it("come to nothing for immutable objects after the first read", async () => {
    await up();
    await bed.secret("s-0", true);
    const objects = await live(watchedForEver, [{ secret: 0, pod: 0, as: "volume" }], 0);
    await bed.advance(second);
    expect([objects.watches, await bed.served()]).toEqual([0, 0]);
    await bed.run(bed.admin.resource("secrets").delete(name("s-0")));
    await bed.advance(10 * minute);
    // It stays good as long as a pod uses it, although it is gone.
    expect(objects.read("secret", name("s-0"))).toMatchObject({ is: "found" });
    expect(bed.asked.length).toBe(2);
  });
});

interface Wave {
  /** Pods whose volumes are all mounted after 2, 5 and 12 minutes. */
  readonly mounted: readonly number[];
  readonly starts: number;
}

/** So many pods with three Secrets each come at once. */
async function wave(profile: ObjectProfile, rateLimit: RateLimit, pods: number): Promise<Wave> {
  await up();
  const objects = bed.objects(profile, rateLimit);
  const { clock } = bed.simulated.host;
  const inputs: PodInputs[] = [];
  const site = { clock, objects, profile: { ...kubeletProfile, objects: profile } };
  const all = Array.from({ length: pods }, (_, at) => ["x", "y", "z"].map((one) => `${one}-${at}`));
  await Promise.all(all.flat().map((one) => bed.secret(one)));
  for (const pod of await Promise.all(all.map((names) => bed.pod(volumesOf(...names)))))
    inputs.push(new PodInputs({ ...site, say: () => {}, changed: () => {} }, pod));
  for (const input of inputs) input.begin();
  const mounted: number[] = [];
  for (let at = 1; at <= 12; at++) {
    await bed.advance(minute);
    for (const input of inputs) input.resync();
    if ([2, 5, 12].includes(at)) mounted.push(inputs.filter((input) => input.mounted).length);
  }
  const { starts } = objects;
  objects.clear();
  return { mounted, starts };
}

// Thousands of requests each: they take seconds on a busy machine.
describe("many mounts at once", { timeout: 120_000 }, () => {
  const slow: RateLimit = { qps: 5, burst: 10 };

  it("get nowhere with the recycler of 1.21.0 and a small limit", async () => {
    const { mounted, starts } = await wave(recycledUnserved, slow, 250);
    const [early = 0, , late = 0] = mounted;
    expect(early).toBeLessThan(100);
    expect(late - early).toBeLessThan(10);
    // Each LIST that came too late is thrown away and done again.
    expect(starts).toBeGreaterThan(4 * 750);
  });

  it("stand still for minutes already with 110 pods", async () => {
    const [early = 0, later = 0] = (await wave(recycledUnserved, slow, 110)).mounted;
    expect(early).toBeLessThan(100);
    expect(later - early).toBeLessThan(10);
  });

  it("get done with the recycler as repaired, each object read once", async () => {
    const { objects, rateLimit } = kubelet21Repaired;
    const { mounted, starts } = await wave(objects, rateLimit, 250);
    expect(mounted).toMatchObject([expect.any(Number), 250, 250]);
    expect(starts).toBe(750);
  });

  it("are no trouble for the limit that OpenShift sets", async () => {
    const { mounted, starts } = await wave(recycledUnserved, { qps: 50, burst: 100 }, 250);
    expect([mounted[0], starts]).toEqual([250, 750]);
  });
});
