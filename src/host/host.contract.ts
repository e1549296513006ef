// What every Host promises, whichever it is. `pass` lets so much of the host's time go by.
import { describe, expect, it } from "vitest";
import type { Host } from "./host.ts";

export interface HostUnderTest {
  readonly host: Host;
  readonly pass: (ms: number) => Promise<void>;
}

export function hostContract(name: string, make: () => HostUnderTest): void {
  describe(`the host contract: ${name}`, () => {
    it("fires timers once, in the order of their times, not before them", async () => {
      const { host, pass } = make();
      const fired: string[] = [];
      const startedAt = host.clock.monotonic();
      let late = 0;
      host.clock.after(15, () => fired.push("second"));
      host.clock.after(5, () => {
        fired.push("first");
        late = host.clock.monotonic() - startedAt;
      });
      await pass(40);
      expect(fired).toEqual(["first", "second"]);
      // A real timer counts whole milliseconds.
      expect(late).toBeGreaterThanOrEqual(4);
    });

    it("forgets a cancelled timer, however often it is cancelled", async () => {
      const { host, pass } = make();
      const fired: string[] = [];
      const cancel = host.clock.after(5, () => fired.push("cancelled"));
      const spent = host.clock.after(1, () => fired.push("kept"));
      cancel();
      cancel();
      await pass(20);
      spent();
      expect(fired).toEqual(["kept"]);
    });

    it("lets pending promises go before a turn", async () => {
      const { host, pass } = make();
      const order: string[] = [];
      const turned = host.clock.turn().then(() => order.push("turn"));
      void Promise.resolve()
        .then(() => order.push("promise"))
        .then(() => order.push("its follower"));
      await pass(1);
      await turned;
      expect(order).toEqual(["promise", "its follower", "turn"]);
    });

    it("has wall time in whole milliseconds and monotonic time that only grows", async () => {
      const { host, pass } = make();
      const [wall, mono] = [host.clock.now(), host.clock.monotonic()];
      await pass(10);
      expect(Number.isInteger(host.clock.now())).toBe(true);
      expect(host.clock.now() - wall).toBeGreaterThanOrEqual(5);
      expect(host.clock.monotonic() - mono).toBeGreaterThanOrEqual(5);
    });

    it("draws within bounds", () => {
      const { host } = make();
      const stream = host.random.stream("contract");
      for (let i = 0; i < 200; i++) {
        const unit = stream.unit();
        expect(unit >= 0 && unit < 1).toBe(true);
        const below = stream.below(7);
        expect(Number.isInteger(below) && below >= 0 && below < 7).toBe(true);
      }
      const drawn = new Set(Array.from({ length: 200 }, () => stream.below(7)));
      expect(drawn.size).toBe(7);
      expect(stream.bytes(16)).toHaveLength(16);
      expect(stream.bytes(16)).not.toEqual(stream.bytes(16));
      expect(stream.bytes(10_000)).toHaveLength(10_000);
    });

    it("digests as the standard says", () => {
      const { host } = make();
      const hex = (bytes: Uint8Array): string =>
        [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      const abc = new TextEncoder().encode("abc");
      expect(hex(host.digest.sha256(abc))).toBe(
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      );
      expect(hex(host.digest.sha512(abc)).slice(0, 32)).toBe("ddaf35a193617abacc417349ae204131");
    });
  });
}
