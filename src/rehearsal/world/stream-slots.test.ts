import { describe, expect, it } from "vitest";
import { StreamSlots } from "./stream-slots.ts";

const never = new AbortController().signal;

describe("the streams of one connection", () => {
  it("are given in the order of coming, and one more only when one ends", async () => {
    const slots = new StreamSlots(1);
    const order: string[] = [];
    const end = await slots.take(never);
    const second = slots.take(never).then((give) => (order.push("second"), give));
    const third = slots.take(never).then(() => order.push("third"));
    await Promise.resolve();
    expect(order).toEqual([]);
    end();
    end();
    const endSecond = await second;
    expect(order).toEqual(["second"]);
    endSecond();
    await third;
    expect(order).toEqual(["second", "third"]);
  });

  it("are not kept for those who left", async () => {
    const slots = new StreamSlots(1);
    const end = await slots.take(never);
    const leaving = new AbortController();
    const gone = slots.take(leaving.signal);
    leaving.abort();
    await expect(gone).rejects.toThrow("gave up");
    const next = slots.take(never);
    end();
    expect(typeof (await next)).toBe("function");
  });
});
