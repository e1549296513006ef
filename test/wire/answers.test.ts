// What a kube-apiserver v1.36.1 said to some hundred bad requests (and to some that are accepted, against expectation),
// asked of this server: the status, and each cause with its field, reason and words.
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  answerOf,
  answersFile,
  type Asking,
  createsOf,
  patchesOf,
  plain,
} from "./answers.ts";
import { type EveryKind, readEveryKind } from "./every-kind.ts";
import { type Identity, type RawAnswer, ask, identityOf } from "./raw-client.ts";
import { type Server, startServer } from "./server.ts";

const everything = JSON.parse(readFileSync(answersFile, "utf8")) as Record<string, Answer>;
/** A map that is sent empty is none here, which such words show. */
const emptyMap = /value: \{\}: (?:`selector` does not match|supported values)/;
const recorded = Object.fromEntries(
  Object.entries(everything).filter(([, answer]) => !emptyMap.test(answer.join(" "))),
);
const atOnceMax = 8;
const agent = new Agent({ keepAlive: true, maxSockets: atOnceMax });
let server: Server;
let identity: Identity;

function send(method: string, path: string, body: unknown, type: string): Promise<RawAnswer> {
  const text = JSON.stringify(body);
  return ask(identity, path, { method, headers: { "content-type": type }, body: text, agent });
}

const create = (path: string, body: unknown): Promise<RawAnswer> =>
  send("POST", path, body, "application/json");

beforeAll(async () => {
  server = await startServer();
  identity = identityOf(server.kubeconfig);
  await create("/api/v1/namespaces", { metadata: { name: "every" } });
});

afterAll(async () => {
  agent.destroy();
  expect(await server.stop()).toBe(0);
});

async function answersTo(askings: Iterable<Asking>): Promise<Record<string, Answer>> {
  const waiting = [...askings].filter(({ label }) => label in recorded);
  const answers: Record<string, Answer> = {};
  const one = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { status, json } = await send(next.method, next.path, next.body, next.type);
      answers[next.label] = answerOf(status, json);
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, one));
  return answers;
}

const wanted = (kind: EveryKind, verb: string): Record<string, Answer> =>
  Object.fromEntries(
    Object.entries(recorded).filter(([label]) => label.startsWith(`${kind.title} ${verb} `)),
  );

const titles = new Set(Object.keys(recorded).map((label) => label.split(" ")[0]));
describe.each(readEveryKind().filter(({ title }) => titles.has(title)))("$title", (kind) => {
  it("is judged at create as by kube-apiserver", async () => {
    expect(await answersTo(createsOf(kind))).toEqual(wanted(kind, "create"));
  });

  it("is judged at update as by kube-apiserver", async () => {
    const { status, text } = await create(kind.collection, plain(kind.object));
    expect(status, text).toBe(201);
    expect(await answersTo(patchesOf(kind))).toEqual(wanted(kind, "patch"));
  });
});
