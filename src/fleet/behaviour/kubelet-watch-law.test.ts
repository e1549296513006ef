import { describe, expect, it } from "vitest";
import { isRecycled, watchLaws } from "./kubelet-watch-law.ts";

const now = 1_000_000;
const states = {
  "fresh, unsynced": { synced: false, lastAccessAt: undefined },
  "waited for, unsynced": { synced: false, lastAccessAt: now - 1_000 },
  "synced and in use": { synced: true, lastAccessAt: now - 90_000 },
  "synced and idle": { synced: true, lastAccessAt: now - 300_001 },
} as const;

describe.each([
  ["1.20", []],
  ["1.21", ["fresh, unsynced", "synced and idle"]],
  ["1.23", ["synced and idle"]],
] as const)("a kubelet of %s", (version, recycled) => {
  it.each(Object.keys(states) as (keyof typeof states)[])("%s", (state) => {
    const expected = (recycled as readonly string[]).includes(state);
    expect(isRecycled(watchLaws[version], states[state], now)).toBe(expected);
  });
});
