// What open watches and answers under way keep in the server's memory.
import { connect } from "node:http2";
import type { ServerCredentials } from "../../../src/host/node/kubeconfig-credentials.ts";
import { setTimeout as pause } from "node:timers/promises";
import type { LoadClient } from "../load-client.ts";
import type { ServerMeter } from "./server-meter.ts";
import { configMaps, openWatches } from "./workloads.ts";

/** The first ones make the heap grow, whatever they need. */
export const watches = { before: 500, more: 1_500 } as const;
const settleMs = 3_000;
export const answers = 8;
const sampleMs = 100;
const samples = 30;

/** Resident bytes of one more watch that nothing happens to. Ask before other work has grown the heap. */
export async function bytesOfWatch(
  clients: readonly LoadClient[],
  meter: ServerMeter,
): Promise<number> {
  const query = "labelSelector=size%3Dnone";
  const first = await openWatches(clients, { count: watches.before, query });
  await pause(settleMs);
  const before = (await meter.read()).residentBytes;
  const more = await openWatches(clients, { count: watches.more, query });
  await pause(settleMs);
  const after = (await meter.read()).residentBytes;
  for (const stream of [...first, ...more]) stream.close();
  return Math.max(0, (after - before) / watches.more);
}

/** Peak of resident bytes for each byte of answers that are asked for and not read. */
export async function copiesOfAnswer(
  client: LoadClient,
  target: ServerCredentials,
  meter: ServerMeter,
): Promise<number> {
  const query = `${configMaps}?resourceVersion=0&labelSelector=size%3Dlarge`;
  const whole = (await client.expect(200, "GET", query)).size;
  await pause(settleMs);
  const before = (await meter.read()).residentBytes;
  const sessions = Array.from({ length: answers }, () => slowReader(target, query));
  let peak = before;
  for (let sample = 0; sample < samples; sample++) {
    await pause(sampleMs);
    peak = Math.max(peak, (await meter.read()).residentBytes);
  }
  for (const session of sessions) session.destroy();
  return (peak - before) / (answers * whole);
}

/** Takes the head of the answer and no more than a window of its body. */
function slowReader(target: ServerCredentials, query: string): { destroy(): void } {
  const session = connect(target.server, {
    ca: target.ca,
    cert: target.certificate,
    key: target.key,
    rejectUnauthorized: !target.insecure,
  });
  const authorization =
    target.token === undefined ? {} : { authorization: `Bearer ${target.token}` };
  const stream = session.request({ ":method": "GET", ":path": query, ...authorization });
  session.on("error", () => undefined);
  stream.on("error", () => undefined);
  stream.pause();
  return session;
}
