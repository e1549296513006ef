// Events as they end up in the real control plane.
import { describe, expect, it } from "vitest";
import type { Event } from "../api/types/core-v1.ts";
import { EventCorrelator, correlatorLimitsUsual } from "../informer/event-correlator.ts";
import { EventSeries, seriesEndsAfterMs } from "../informer/event-series.ts";
import { EventRecorder, referenceTo } from "../informer/event-recorder.ts";
import { engine } from "../../test/simulation.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

interface Bed {
  readonly simulated: SimulatedControlPlane;
  readonly recorder: EventRecorder;
  readonly run: <T>(promise: Promise<T>) => Promise<T>;
  readonly written: () => Promise<Event[]>;
}

async function bed(): Promise<Bed> {
  const simulated = new SimulatedControlPlane(1, engine);
  await simulated.start();
  const client = simulated.client("test");
  const recorder = new EventRecorder(simulated.host, client.resource("events"), {
    component: "test-controller",
    style: new EventCorrelator(simulated.host.clock, correlatorLimitsUsual),
  });
  const run = <T>(promise: Promise<T>): Promise<T> => simulated.driver.run(promise, 600_000);
  const written = async (): Promise<Event[]> => {
    const fieldSelector = "involvedObject.name=web";
    return (await run(client.resource("events").list({ fieldSelector }))).items;
  };
  return { simulated, recorder, run, written };
}

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", uid: "u-1", resourceVersion: "7" },
};

describe("an event recorder", () => {
  it("writes events as Kubernetes' components do", async () => {
    const { recorder, run, written } = await bed();
    recorder.event(web, "Normal", "ScalingReplicaSet", "Scaled up");
    recorder.event(web, "Normal", "ScalingReplicaSet", "Scaled up");
    recorder.eventAbout(referenceTo(web, "spec.containers{a}"), {
      type: "Warning",
      reason: "BackOff",
      message: "again",
    });
    await run(recorder.idle());
    const [first, second] = (await written()).toSorted((a) => (a.reason === "BackOff" ? 1 : -1));
    expect(first).toMatchObject({
      involvedObject: { kind: "Deployment", apiVersion: "apps/v1", uid: "u-1", name: "web" },
      reason: "ScalingReplicaSet",
      message: "Scaled up",
      type: "Normal",
      count: 2,
      source: { component: "test-controller" },
      reportingComponent: "test-controller",
    });
    expect(first?.metadata.name).toMatch(/^web\.[0-9a-f]{16}$/);
    expect(second).toMatchObject({ involvedObject: { fieldPath: "spec.containers{a}" }, count: 1 });
  });

  it("goes on after an event that is dropped as spam, about others", async () => {
    const { recorder, run, written } = await bed();
    const noisy = { ...web, metadata: { ...web.metadata, name: "noisy", uid: "u-2" } };
    // The 26th is cut off, and nothing else waits.
    for (let at = 0; at <= 25; at++) {
      recorder.event(noisy, "Normal", "A", "a");
      await run(recorder.idle());
    }
    recorder.event(web, "Normal", "A", "a");
    await run(recorder.idle());
    expect(await written()).toHaveLength(1);
  });

  it("writes anew what has expired meanwhile", async () => {
    const { simulated, recorder, run, written } = await bed();
    recorder.event(web, "Normal", "A", "a");
    await run(recorder.idle());
    await run(
      simulated.client("test").resource("events").deleteCollection({ namespace: "default" }),
    );
    recorder.event(web, "Normal", "A", "a");
    await run(recorder.idle());
    expect(await written()).toMatchObject([{ count: 2, message: "a" }]);
  });

  it("waits for a server that is away", async () => {
    const { simulated, recorder, run, written } = await bed();
    await simulated.stop();
    recorder.event(web, "Normal", "A", "a");
    await simulated.driver.advance(30_000);
    await simulated.start();
    await run(recorder.idle());
    expect(await written()).toMatchObject([{ count: 1, reason: "A" }]);
  });

  it("drops what the server refuses, and what waits when it stops", async () => {
    const { simulated, recorder, run, written } = await bed();
    recorder.event(
      { ...web, metadata: { ...web.metadata, namespace: "nowhere" } },
      "Normal",
      "A",
      "a",
    );
    await run(recorder.idle());
    expect(simulated.host.lines.map(({ message }) => message)).toContain("event was not written");
    await simulated.stop();
    recorder.event(web, "Normal", "A", "a");
    await simulated.driver.advance(1);
    await run(recorder.stop());
    recorder.event(web, "Normal", "A", "a");
    await simulated.start();
    expect(await written()).toEqual([]);
  });

  it("writes how a series ended also when nothing is said after it", async () => {
    const { simulated, run, written } = await bed();
    const recorder = new EventRecorder(simulated.host, simulated.client("s").resource("events"), {
      component: "test-scheduler",
      style: new EventSeries(simulated.host.clock, 10),
    });
    for (let count = 1; count <= 3; count++) {
      recorder.eventAbout(referenceTo(web), {
        type: "Warning",
        reason: "FailedScheduling",
        message: "no room",
        action: "Scheduling",
      });
      await run(recorder.idle());
      await simulated.driver.advance(60_000);
    }
    await simulated.driver.advance(2 * seriesEndsAfterMs);
    await run(recorder.idle());
    expect(await written()).toMatchObject([{ series: { count: 3 } }]);
  });
});
