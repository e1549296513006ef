import { expect, test } from "vitest";
import type { Clock } from "../host/host.ts";
import type { HttpRequest } from "../host/http.ts";
import { fairTransports } from "./fair-transport.ts";

/** `ask` begins a request; `begun` has the targets of those that began; `nextTurn` lets others begin. */
function scene() {
  const turns: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => turns.push(resolve));
  const clock = { turn } as Partial<Clock> as Clock;
  const begun: string[] = [];
  const lines = fairTransports(clock, ({ target }) => {
    begun.push(target);
    return Promise.resolve({ status: 200, headers: [], body: undefined });
  });
  const ask = (name: string, target: string, signal = new AbortController().signal) =>
    lines({ name, urgent: name === "heartbeats" })({
      target,
      signal,
    } as Partial<HttpRequest> as HttpRequest);
  const nextTurn = async (): Promise<void> => {
    turns.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, begun, ask, nextTurn };
}

test("begins a bounded number of requests a turn, in their order, and all of them in the end", async () => {
  const { turns, begun, ask, nextTurn } = scene();
  const targets = Array.from({ length: 40 }, (_, index) => `/${index}`);
  const settled = Promise.all(targets.map((target) => ask("kubelet", target)));
  const counts: number[] = [begun.length];
  for (let turn = 0; turn < 6; turn++) {
    await nextTurn();
    counts.push(begun.length);
  }
  await settled;
  expect(counts).toEqual([8, 16, 24, 32, 40, 40, 40]);
  expect(begun).toEqual(targets);
  expect(turns).toEqual([]);
});

test("keeps no line waiting behind another's crowd", async () => {
  const { begun, ask, nextTurn } = scene();
  for (let index = 0; index < 100; index++) void ask("kubelet", "status");
  for (let index = 0; index < 3; index++) void ask("node-controller", "taint");
  await nextTurn();
  const [one, two] = ["status", "taint"];
  expect(begun.slice(8)).toEqual([one, two, one, two, one, two, one, one]);
});

test("keeps a watch from waiting behind its line's other requests", async () => {
  const { begun, ask, nextTurn } = scene();
  for (let index = 0; index < 100; index++) void ask("kubelet", "status");
  void ask("kubelet", "/api/v1/namespaces/a/configmaps?watch=true");
  await nextTurn();
  expect(begun.slice(8, 10)).toEqual(["status", "/api/v1/namespaces/a/configmaps?watch=true"]);
});

test("does not begin what nobody wants any more, and gives its place to another", async () => {
  const { begun, ask, nextTurn } = scene();
  for (let index = 0; index < 8; index++) void ask("kubelet", "first");
  const leaving = new AbortController();
  const given = Array.from({ length: 20 }, () => ask("kubelet", "left", leaving.signal));
  const refused = Promise.allSettled(given);
  void ask("kubelet", "wanted");
  leaving.abort();
  await nextTurn();
  expect(begun.slice(8)).toEqual(["wanted"]);
  expect(new Set((await refused).map(({ status }) => status))).toEqual(new Set(["rejected"]));
});

test("gives urgent lines every second place, however many others there are", async () => {
  const { begun, ask, nextTurn } = scene();
  for (let index = 0; index < 8; index++) void ask("kubelet", "first");
  for (const line of ["a", "b", "c", "d", "e"])
    for (let index = 0; index < 4; index++) void ask(line, line);
  for (let index = 0; index < 5; index++) void ask("heartbeats", "beat");
  await nextTurn();
  expect(begun.slice(8)).toEqual(["beat", "a", "beat", "b", "beat", "c", "beat", "d"]);
  await nextTurn();
  expect(begun.slice(16)).toEqual(["beat", "e", "a", "b", "c", "d", "e", "a"]);
});
