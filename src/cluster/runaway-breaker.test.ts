// The loop of the runaway Job, with and without the breaker: pods of one owner, pinned to a dead node, are
// deleted as soon as they appear and made again. The test plays both controllers.
import { afterEach, describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import type { Job } from "../api/types/batch-v1.ts";
import type { Pod, PodSpec } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import { reasonOf } from "../client/reason.ts";
import type { Served } from "../client/served-object.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

const namespace = "default";
const second = 1_000;
const minute = 60_000;

let simulated: SimulatedControlPlane;
let client: Client;

async function start(seed: number, runawayOwnerLimit: number): Promise<void> {
  simulated = new SimulatedControlPlane(seed, engine, { runawayOwnerLimit });
  await simulated.start();
  client = simulated.client("job-controller");
}

afterEach(() => simulated.stop());

function run<T>(promise: Promise<T>): Promise<T> {
  return simulated.driver.run(promise, 60 * minute);
}

function makeJob(name: string): Promise<Served<Job>> {
  const containers = [{ name: "c", image: "i" }];
  const template = {
    metadata: {},
    spec: { restartPolicy: "Never", nodeName: "dead", containers } as PodSpec,
  };
  return run(
    client.resource("jobs.batch").create({ metadata: { name, namespace }, spec: { template } }),
  );
}

function createPod(job: Served<Job>): Promise<Served<Pod>> {
  const { name, uid } = job.metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
  const metadata = { generateName: `${name}-`, namespace, ownerReferences: [owner] };
  const { spec } = job.spec?.template ?? {};
  return client.resource("pods").create({ metadata, ...(spec === undefined ? {} : { spec }) });
}

/** Five times a second for as long as told; a refusal is a lost turn. Gives how many pods were made. */
async function runaway(job: Served<Job>, forMs: number): Promise<number> {
  let made = 0;
  const { clock } = simulated.host;
  const end = clock.monotonic() + forMs;
  while (clock.monotonic() < end) {
    try {
      const { metadata } = await run(createPod(job));
      made += 1;
      await run(client.resource("pods").delete({ namespace, name: metadata.name }));
    } catch (error) {
      expect(reasonOf(error)).toBe("TooManyRequests");
    }
    await simulated.driver.advance(200);
  }
  return made;
}

const eventsOf = async (job: Served<Job>): Promise<string[]> => {
  const fieldSelector = `involvedObject.uid=${job.metadata.uid},involvedObject.name=${job.metadata.name}`;
  const { items } = await run(client.resource("events").list({ namespace, fieldSelector }));
  return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
};

const metrics = async (): Promise<string[]> => {
  const { body } = await run(
    simulated.transport({
      method: "GET",
      target: "/metrics",
      headers: {},
      repeated: () => [],
      body: { read: () => Promise.resolve(new Uint8Array(0)) },
      peer: simulated.admin().peer,
      signal: new AbortController().signal,
    }),
  );
  expect(body).toBeTypeOf("string");
  return String(body)
    .split("\n")
    .filter((line) => line.startsWith("wavetank_runaway"));
};

describe("a Job whose pods are taken away before they run", () => {
  it("fills the store without the breaker", async () => {
    await start(1, 0);
    expect(await runaway(await makeJob("pi"), minute)).toBeGreaterThan(250);
  });

  it("is bounded by the breaker, told about, and counted", async () => {
    await start(2, 30);
    const job = await makeJob("pi");
    const made = await runaway(job, 10 * minute);
    // 1, then 30 and 20 for the one that waits, then probes after 1, 2, 4 ... 256 s.
    expect(made).toBeGreaterThanOrEqual(1 + 50);
    expect(made).toBeLessThanOrEqual(1 + 50 + 9);
    expect(await eventsOf(job)).toEqual([
      'Warning RunawayOwner Creating pods is slowed down: 50 pods of Job "pi" in namespace "default" were replaced ' +
        "within 60 minutes though none of them ever ran. Find out why they do not run (kubectl describe pod), " +
        "or delete the Job.",
    ]);
    expect(await metrics()).toEqual([
      expect.stringMatching(/^wavetank_runaway_owner_refused_total\{kind="Job"\} [1-9]\d*$/),
      "wavetank_runaway_owners 1",
    ]);
    const other = await makeJob("other");
    expect((await run(createPod(other))).metadata.name).toMatch(/^other-/);
  });

  it("goes on at once when a pod of it runs", async () => {
    await start(3, 30);
    const job = await makeJob("pi");
    await runaway(job, minute);
    await simulated.driver.advance(5 * minute);
    const { metadata } = await run(createPod(job));
    const patch = { status: { phase: "Running" } };
    await run(
      client
        .resource("pods")
        .patch(
          { namespace, name: metadata.name },
          { type: "merge", patch },
          { subresource: "status" },
        ),
    );
    await simulated.driver.advance(second);
    expect(await metrics()).toContain("wavetank_runaway_owners 0");
    expect(await runaway(job, 8 * second)).toBeGreaterThan(30);
  });

  it("does not disturb an owner whose pods all wait", async () => {
    await start(4, 1);
    const job = await makeJob("wide");
    const made = await run(Promise.all(Array.from({ length: 300 }, () => createPod(job))));
    expect(made).toHaveLength(300);
  });
});
