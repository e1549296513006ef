import { expect, test } from "vitest";
import { fairTransport } from "./fair-transport.ts";
import type { HttpRequest } from "../host/http.ts";
import type { Clock } from "../host/host.ts";

function requestOf(component: string): HttpRequest {
  return { headers: { "user-agent": component } } as Partial<HttpRequest> as HttpRequest;
}

test("begins a bounded number of requests a turn, in their order, and all of them in the end", async () => {
  const turns: (() => void)[] = [];
  const clock = {
    turn: () => new Promise<void>((resolve) => turns.push(resolve)),
  } as Partial<Clock> as Clock;
  const begun: number[] = [];
  let next = 0;
  const transport = fairTransport(clock, () => {
    begun.push(next++);
    return Promise.resolve({ status: 200, headers: [], body: undefined });
  });
  const settled = Promise.all(Array.from({ length: 40 }, () => transport(requestOf("kubelet"))));
  const counts: number[] = [begun.length];
  for (let turn = 0; turn < 6; turn++) {
    turns.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(begun.length);
  }
  await settled;
  expect(counts).toEqual([8, 16, 24, 32, 40, 40, 40]);
  expect(turns).toEqual([]);
});

test("keeps no component waiting behind another's crowd", async () => {
  const turns: (() => void)[] = [];
  const clock = {
    turn: () => new Promise<void>((resolve) => turns.push(resolve)),
  } as Partial<Clock> as Clock;
  const begun: string[] = [];
  const transport = fairTransport(clock, ({ headers }) => {
    begun.push(headers["user-agent"]!);
    return Promise.resolve({ status: 200, headers: [], body: undefined });
  });
  for (let index = 0; index < 100; index++) void transport(requestOf("kubelet"));
  for (let index = 0; index < 3; index++) void transport(requestOf("node-controller"));
  turns.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun.slice(8)).toEqual([
    "kubelet",
    "node-controller",
    "kubelet",
    "node-controller",
    "kubelet",
    "node-controller",
    "kubelet",
    "kubelet",
  ]);
});
