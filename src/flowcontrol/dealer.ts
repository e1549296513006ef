// Shuffle sharding: a flow's hash deals it a hand of queues, so that two flows rarely hold the same ones (upstream:
// util/shufflesharding). The same hash deals the same hand in every server. Pure.
import type { Digest } from "../host/host.ts";
import { encodeUtf8 } from "../std/utf8.ts";

/** `hash`: at least 60 random bits. Indexes below `deckSize`, `handSize` of them, all different. */
export function dealHand(hash: bigint, deckSize: number, handSize: number): readonly number[] {
  const remainders: number[] = [];
  let rest = hash;
  for (let i = 0; i < handSize; i++) {
    const left = BigInt(deckSize - i);
    remainders.push(Number(rest % left));
    rest /= left;
  }
  return remainders.map((remainder, i) => {
    let card = remainder;
    for (let j = i - 1; j >= 0; j--) if (card >= remainders[j]!) card++;
    return card;
  });
}

/** Of a FlowSchema's name and what distinguishes its flows: upstream's hashFlowID. */
export function hashOfFlow(digest: Digest, schema: string, distinguisher: string): bigint {
  const sum = digest.sha256(encodeUtf8(`${schema}\0${distinguisher}`));
  return new DataView(sum.buffer, sum.byteOffset, 8).getBigUint64(0, true);
}
