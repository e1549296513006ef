// When each member of a population begins, as delays from the moment that its population may begin. Pure.
import type { RandomStream } from "../host/host.ts";
import type { StartLaw } from "./population.ts";

/** In ms, one for each member. */
export function startDelays(law: StartLaw, count: number, chance: RandomStream): number[] {
  return Array.from({ length: count }, (_, index) => {
    const after = law.afterSeconds * 1_000;
    if (law.kind === "together") return after;
    if (law.kind === "staggered") return after + index * law.everySeconds * 1_000;
    return after + chance.unit() * law.overSeconds * 1_000;
  });
}
