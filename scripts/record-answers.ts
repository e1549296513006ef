// Records what a kube-apiserver answers to the requests of test/wire/answers.ts, one for each thing that it says of a kind:
//   npx tsx scripts/record-answers.ts KUBECONFIG 'REGEXP OF TITLES'
// The server should be of the version that the file is named after and hold nothing; objects are made and removed.
import { writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { readKubeconfig } from "../src/host/node/kubeconfig-credentials.ts";
import {
  type Answer,
  answerOf,
  answersFile,
  type Asking,
  createsOf,
  patchesOf,
  plain,
} from "../test/wire/answers.ts";
import { type EveryKind, readEveryKind } from "../test/wire/every-kind.ts";
import { ask, identityOf } from "../test/wire/raw-client.ts";

const [kubeconfig = "", titles = ""] = process.argv.slice(2);
const identity = identityOf(kubeconfig);
const { token } = readKubeconfig(kubeconfig);
const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
const agent = new Agent({ keepAlive: true });
const merge = "application/merge-patch+json";

async function send(method: string, path: string, body?: unknown, type = "application/json") {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return ask(identity, path, {
    method,
    headers: { "content-type": type, ...authorization },
    agent,
    ...sent,
  });
}

async function remove(kind: EveryKind): Promise<void> {
  const free = { metadata: { finalizers: null } };
  await send("DELETE", `${kind.path}?gracePeriodSeconds=0&propagationPolicy=Background`);
  await send("PATCH", kind.path, free, merge);
}

/** Go's names of internal fields, its diffs and whole objects are not this server's to repeat. */
function isComparable(answer: Answer): boolean {
  return answer.slice(1).every((text) => !/\n@@|"[A-Z]\w+\\*":|^patch /.test(String(text)));
}

/**
 * One answer of each sort is kept: what a decoder says of a type once for all kinds, what validation says once for a kind
 * and a verb; of acceptance, only the surprising.
 */
function sortOf({ label }: Asking, answer: Answer): string | undefined {
  if (answer.length === 1) return /=(bad|long|-1)$/.test(label) ? label : undefined;
  const said = answer.slice(1).map((text) => String(text).replace(/^\S+ |"[^"]*"|\d+/g, ""));
  if (answer[0] === 400)
    return said.join().replace(/^.* cannot (?:unmarshal .* of type|be handled as a \w+:)/, "");
  return [...label.split(" ").slice(0, 2), ...said].join(" ");
}

const known = new Set<string>();

async function record(kind: EveryKind, into: Record<string, Answer>): Promise<void> {
  const keep = async (asking: Asking): Promise<void> => {
    const got = await send(asking.method, asking.path, asking.body, asking.type);
    const answer = answerOf(got.status, got.json);
    const sort = sortOf(asking, answer);
    if (sort === undefined || known.has(sort) || !isComparable(answer)) return;
    known.add(sort);
    into[asking.label] = answer;
  };
  await remove(kind);
  for (const asking of createsOf(kind)) await keep(asking);
  await send("POST", kind.collection, plain(kind.object));
  for (const asking of patchesOf(kind)) await keep(asking);
  await remove(kind);
}

const answers: Record<string, Answer> = {};
await send("POST", "/api/v1/namespaces", { metadata: { name: "every" } });
await send("POST", "/api/v1/namespaces/every/serviceaccounts", { metadata: { name: "default" } });
for (const kind of readEveryKind()) {
  if (new RegExp(titles).test(kind.title)) await record(kind, answers);
}
const lines = Object.entries(answers).map(
  ([label, answer]) => `${JSON.stringify(label)}: ${JSON.stringify(answer)}`,
);
writeFileSync(answersFile, `{\n${lines.join(",\n")}\n}\n`);
agent.destroy();
