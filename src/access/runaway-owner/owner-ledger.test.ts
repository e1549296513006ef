// The breaker's promises: who is healthy is never refused, who runs away is bounded, memory is bounded.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventClock } from "../../host/simulated/event-clock.ts";
import { SeededStream } from "../../host/simulated/seeded-random.ts";
import { type RunawayLaw, budgetOf, runawayLawDefaults } from "./law.ts";
import { OwnerLedger } from "./owner-ledger.ts";

const law: RunawayLaw = { ...runawayLawDefaults, limit: 5, perWaitingPod: 2, ownersMax: 3 };
const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;

/** One owner's pods on a ledger whose clock stands still unless told. */
function setUp(of: RunawayLaw = law) {
  const clock = new EventClock(new SeededStream(1, "ties"), 0);
  const host = { clock, advance: (ms: number) => clock.advanceTo(clock.monotonic() + ms) };
  const ledger = new OwnerLedger(host.clock, of);
  let made = 0;
  const owner = (name: string) => {
    const key = `ns/${name}`;
    return {
      /** Pod made, or the seconds to wait. */
      create(): string | number {
        const verdict = ledger.ask(key, "Job");
        if (verdict.kind === "Refused") return verdict.retryAfterSeconds;
        const pod = `ns/${name}-${made++}`;
        ledger.observe(pod, key, "Waiting");
        return pod;
      },
      end: (pod: string) => ledger.observe(pod, key, "Ended"),
      run: (pod: string) => ledger.observe(pod, key, "Ran"),
      /** Make, lose, make again: how many before it was refused; `most` if it never was. */
      churn(most: number): number {
        for (let count = 0; count < most; count++) {
          const pod = this.create();
          if (typeof pod === "number") return count;
          this.end(pod);
        }
        return most;
      },
    };
  };
  return { host, ledger, owner };
}

const isPod = (made: string | number): made is string => typeof made === "string";

describe("an owner", () => {
  it("may have any number of pods pending", () => {
    const { owner, ledger } = setUp();
    const deployment = owner("deployment");
    const made = Array.from({ length: 10_000 }, () => deployment.create());
    expect(made.every(isPod)).toBe(true);
    expect(ledger.runaways).toBe(0);
  });

  it("may be scaled down and up again, pending all the while", () => {
    const { owner } = setUp();
    const deployment = owner("deployment");
    for (let round = 0; round < 3; round++) {
      const made = Array.from({ length: 1_000 }, () => deployment.create());
      expect(made.every(isPod)).toBe(true);
      for (const pod of made.filter(isPod)) deployment.end(pod);
    }
  });

  it("is refused when its pods keep ending before they run", () => {
    const { owner, ledger } = setUp();
    // The first pod replaces nothing; then 5, and 2 for the one that waited.
    expect(owner("job").churn(100)).toBe(1 + 7);
    expect(owner("other").create()).toBe("ns/other-8");
    expect(ledger.runaways).toBe(1);
    expect([...ledger.refused]).toEqual([["Job", 1]]);
  });

  it("is let through now and then, more and more seldom", () => {
    const { owner, host } = setUp();
    const job = owner("job");
    job.churn(100);
    const madeAt: number[] = [];
    for (let s = 1; s <= 1_600; s++) {
      host.advance(second);
      const pod = job.create();
      if (!isPod(pod)) continue;
      madeAt.push(s);
      job.end(pod);
    }
    expect(madeAt).toEqual([1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111, 1411]);
  });

  it("is asked to wait whole seconds on a clock of fractions", () => {
    const { owner, host } = setUp();
    host.advance(27.047_000_003_7);
    const now = host.clock.monotonic();
    expect(now + second - now).toBeGreaterThan(second);
    const job = owner("job");
    job.churn(100);
    expect(job.create()).toBe(1);
  });

  it("starts anew when a pod runs", () => {
    const { owner, host, ledger } = setUp();
    const job = owner("job");
    job.churn(100);
    host.advance(second);
    const probe = job.create();
    expect(isPod(probe)).toBe(true);
    job.run(String(probe));
    expect(ledger.runaways).toBe(0);
    expect(job.churn(100)).toBe(8);
  });

  it("starts anew after an hour of quiet, but not while it tries", () => {
    const { owner, host } = setUp();
    const job = owner("job");
    job.churn(100);
    host.advance(hour);
    expect(job.churn(100)).toBe(8);
    for (let i = 0; i < 20; i++) {
      host.advance(20 * minute);
      // One probe each time, never a new budget.
      expect(job.churn(100)).toBe(1);
    }
  });

  it("is news once an hour", () => {
    const { host, ledger } = setUp();
    const toldAt: number[] = [];
    let made = 0;
    for (; host.clock.monotonic() < 3 * hour; host.advance(second)) {
      const verdict = ledger.ask("ns/job", "Job");
      if (verdict.kind === "Refused") {
        if (verdict.isNews) toldAt.push(host.clock.monotonic() / second);
        continue;
      }
      const pod = `ns/pod-${made++}`;
      ledger.observe(pod, "ns/job", "Waiting");
      ledger.observe(pod, "ns/job", "Ended");
    }
    expect(toldAt).toEqual([8, 3_608, 7_208]);
  });
});

describe("the ledger", () => {
  it("holds nothing of owners whose pods run", () => {
    const { owner, ledger } = setUp();
    for (let i = 0; i < 100; i++) {
      const job = owner(`job-${i}`);
      job.run(String(job.create()));
    }
    expect(ledger.owners).toBe(0);
  });

  it("forgets the owner that was quiet longest", () => {
    const { owner, ledger } = setUp();
    owner("loud").churn(100);
    for (let i = 0; i < 50; i++) {
      owner(`quiet-${i}`).create();
      owner("loud").create();
    }
    expect(ledger.owners).toBe(3);
    expect(ledger.runaways).toBe(1);
  });

  it("knows the same after its feed started over", () => {
    const { owner, ledger } = setUp();
    const job = owner("job");
    const pod = String(job.create());
    ledger.restart();
    expect(ledger.isWaiting(pod)).toBe(false);
    ledger.observe(pod, "ns/job", "Waiting");
    ledger.observe(pod, "ns/job", "Waiting");
    job.end(pod);
    job.end(pod);
    // One end is one replacement: the create after it is free.
    expect(job.churn(100)).toBe(7);
  });

  it("follows a pod that another owner adopts or nobody controls any more", () => {
    const { owner, ledger } = setUp();
    const pods = [1, 2].map(() => String(owner("a").create()));
    ledger.observe(pods[0]!, "ns/b", "Waiting");
    ledger.release(pods[1]!);
    ledger.observe(pods[1]!, "ns/a", "Ended");
    ledger.observe(pods[0]!, "ns/b", "Ended");
    // The one end is b's.
    expect(owner("a").churn(100)).toBe(10);
    expect(owner("b").churn(100)).toBe(7);
  });
});

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("scale" as const), by: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ do: fc.constant("evict" as const), which: fc.nat() }),
    fc.record({ do: fc.constant("run" as const), which: fc.nat() }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 300_000 }) }),
  ),
  { maxLength: 300 },
);

describe("for any course of things", () => {
  it("a healthy owner is never refused: no pod of it is replaced more often than perWaitingPod an hour", () => {
    const spacingMs = (hour / law.perWaitingPod) * 1.1;
    fc.assert(
      fc.property(steps, (course) => {
        const { owner, host } = setUp();
        const job = owner("job");
        const pods: { name: string; bornMs: number }[] = [];
        const create = (): void => {
          const name = job.create();
          expect(name).toBeTypeOf("string");
          pods.push({ name: String(name), bornMs: host.clock.monotonic() });
        };
        for (const step of course) {
          if (step.do === "wait") host.advance(step.ms);
          else if (step.do === "scale") for (let i = 0; i < step.by; i++) create();
          else if (pods.length > 0) {
            const at = step.which % pods.length;
            const { name, bornMs } = pods[at]!;
            const isOld = host.clock.monotonic() - bornMs >= spacingMs;
            if (step.do === "evict" && !isOld) continue;
            pods.splice(at, 1);
            if (step.do === "evict") {
              job.end(name);
              create();
            } else job.run(name);
          }
        }
      }),
    );
  });

  it("a runaway is bounded by budget and probes", () => {
    const loop = fc.record({
      slots: fc.integer({ min: 1, max: 30 }),
      pausesMs: fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 1, maxLength: 200 }),
    });
    fc.assert(
      fc.property(loop, ({ slots, pausesMs }) => {
        const { owner, host } = setUp();
        const job = owner("job");
        let pods = Array.from({ length: slots }, () => String(job.create()));
        let missing = 0;
        let replaced = 0;
        const start = host.clock.monotonic();
        for (const pause of pausesMs) {
          for (const pod of pods) job.end(pod);
          missing += pods.length;
          pods = [];
          while (missing > 0) {
            const pod = job.create();
            if (!isPod(pod)) break;
            pods.push(pod);
            missing -= 1;
            replaced += 1;
          }
          host.advance(pause);
        }
        const hours = Math.ceil((host.clock.monotonic() - start) / hour);
        const probes = 9 + hours * (hour / law.probeMsMax);
        // Before it trips, an owner spends up to one budget an hour (the budget shrinks with the pods that wait).
        const spent = budgetOf(law, slots) * Math.max(1, hours);
        expect(replaced).toBeLessThanOrEqual(spent + probes);
      }),
    );
  });

  it("a tight loop ends at the budget, whatever the number of pods", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (slots) => {
        const { owner } = setUp();
        const job = owner("job");
        let pods = Array.from({ length: slots }, () => job.create());
        let replaced = 0;
        for (let round = 0; round < 100; round++) {
          for (const pod of pods.filter(isPod)) job.end(pod);
          pods = Array.from({ length: slots }, () => job.create());
          replaced += pods.filter(isPod).length;
        }
        expect(replaced).toBe(budgetOf(law, slots));
      }),
    );
  });
});
