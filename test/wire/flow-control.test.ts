// Priority and Fairness through the front door: its objects with kubectl, in the forms of several versions, and a level
// that is full: who waits, who is refused, and what the wire says of it.
import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { afterEach, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type RawAnswer, ask, dial, identityOf } from "./raw-client.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;
let readers: TLSSocket[] = [];

async function start(minor: string, ...flags: readonly string[]): Promise<void> {
  server = await startServer({ flags: ["--memory", ...flags] });
  kubectl = kubectlFor(minor, server.kubeconfig);
}

afterEach(async () => {
  for (const reader of readers) reader.destroy();
  readers = [];
  expect(await server.stop()).toBe(0);
});

const group = "flowcontrol.apiserver.k8s.io";

/** The seed's guard: `shares` under the name that the version has for them. */
const guard = (version: string, shares: string): string => `
apiVersion: ${group}/${version}
kind: PriorityLevelConfiguration
metadata: {name: limit-list-custom}
spec:
  type: Limited
  limited:
    ${shares}: 5
    limitResponse: {type: Queue, queuing: {queues: 16, handSize: 4, queueLengthLimit: 50}}
---
apiVersion: ${group}/${version}
kind: FlowSchema
metadata: {name: limit-list-custom}
spec:
  priorityLevelConfiguration: {name: limit-list-custom}
  distinguisherMethod: {type: ByUser}
  rules:
  - resourceRules:
    - {apiGroups: [""], clusterScope: true, namespaces: ["*"], resources: [pods], verbs: [list, get]}
    subjects:
    - {kind: ServiceAccount, serviceAccount: {name: vector, namespace: d8-log-shipper}}
`;

it("shows its objects, takes the seed's guard in v1, and says when a level is missing", async () => {
  await start("36");
  const table = await kubectl.ok(["get", "flowschemas"]);
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(rows[0]).toEqual(
    "NAME PRIORITYLEVEL MATCHINGPRECEDENCE DISTINGUISHERMETHOD AGE MISSINGPL".split(" "),
  );
  expect(rows.slice(1).map(([name]) => name)).toEqual([
    "exempt",
    "probes",
    "system-leader-election",
    "system-node-high",
    "system-nodes",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-system-service-accounts",
    "service-accounts",
    "global-default",
    "catch-all",
  ]);
  expect(rows.slice(1).every((row) => row.at(-1) === "False")).toBe(true);
  await kubectl.ok(["apply", "-f", "-"], guard("v1", "nominalConcurrencyShares"));
  const described = await kubectl.ok(["describe", "flowschema", "limit-list-custom"]);
  expect(described).toMatch(/Distinguisher Method:\n +Type: +ByUser/);
  expect(await kubectl.ok(["get", "--raw", "/metrics"])).toMatch(
    /^apiserver_flowcontrol_nominal_limit_seats\{priority_level="limit-list-custom"\} 12$/m,
  );
  await kubectl.ok(["delete", "prioritylevelconfiguration", "limit-list-custom"]);
  await kubectl.ok(["wait", "flowschema/limit-list-custom", "--for=condition=Dangling"]);
  expect(await kubectl.ok(["get", "flowschema", "limit-list-custom"])).toMatch(/True\s*$/);
  const beta = await kubectl.fails(
    ["apply", "-f", "-"],
    guard("v1beta2", "assuredConcurrencyShares"),
  );
  expect(beta).toContain(`no matches for kind "FlowSchema" in version "${group}/v1beta2"`);
  const change = ["patch", "flowschema", "exempt", "--type=merge", "-p"];
  expect(await kubectl.fails([...change, '{"spec":{"matchingPrecedence":2}}'])).toContain(
    "spec of 'exempt' must equal the fixed value",
  );
});

it("takes the seed's guard in the form of its time, where the server behaves as of then", async () => {
  await start("29", "--kubernetes-version=1.24");
  const manifest = guard("v1beta2", "assuredConcurrencyShares");
  await kubectl.ok(["apply", "-f", "-"], manifest);
  expect(await kubectl.ok(["apply", "-f", "-"], manifest)).toMatch(/unchanged\n.*unchanged/);
  const path = (version: string): string =>
    `/apis/${group}/${version}/prioritylevelconfigurations/limit-list-custom`;
  const limitedAt = async (version: string): Promise<object> =>
    JSON.parse(await kubectl.ok(["get", "--raw", path(version)])).spec.limited;
  expect(await limitedAt("v1beta2")).toMatchObject({ assuredConcurrencyShares: 5 });
  expect(await limitedAt("v1beta1")).toMatchObject({ assuredConcurrencyShares: 5 });
  expect(await limitedAt("v1")).toMatchObject({ nominalConcurrencyShares: 5 });
});

/** Three seats and no more, one queue of two. */
const narrow = `
apiVersion: ${group}/v1
kind: PriorityLevelConfiguration
metadata: {name: narrow}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    borrowingLimitPercent: 0
    limitResponse: {type: Queue, queuing: {queues: 1, handSize: 1, queueLengthLimit: 2}}
---
apiVersion: ${group}/v1
kind: FlowSchema
metadata: {name: greedy}
spec:
  priorityLevelConfiguration: {name: narrow}
  matchingPrecedence: 500
  rules:
  - resourceRules:
    - {apiGroups: [""], clusterScope: true, namespaces: ["*"], resources: [configmaps], verbs: ["*"]}
    subjects:
    - {kind: User, user: {name: greedy}}
`;

const configMaps = "/api/v1/namespaces/default/configmaps";
const asGreedy = { "impersonate-user": "greedy", "impersonate-group": "readers" };

/** More than sockets hold, so that an answer nobody reads stays under way. */
async function fill(): Promise<void> {
  const data = { text: "x".repeat(1_000_000) };
  const identity = identityOf(server.kubeconfig);
  for (let i = 0; i < 24; i++) {
    const body = JSON.stringify({ metadata: { name: `large-${i}` }, data });
    expect((await ask(identity, configMaps, { body })).status).toBe(201);
  }
  await kubectl.ok(["create", "clusterrole", "reader", "--verb=get,list", "--resource=configmaps"]);
  await kubectl.ok([
    "create",
    "clusterrolebinding",
    "reader",
    "--clusterrole=reader",
    "--group=readers",
  ]);
}

/** Lists everything and reads nothing of it but the head: its work is not done. */
async function listSlowly(): Promise<void> {
  const reader = await dial(identityOf(server.kubeconfig));
  readers.push(reader);
  const headers = Object.entries(asGreedy).map(([name, value]) => `${name}: ${value}\r\n`);
  reader.write(`GET ${configMaps} HTTP/1.1\r\nhost: localhost\r\n${headers.join("")}\r\n`);
  await once(reader, "readable");
}

const getAsGreedy = (): Promise<RawAnswer> =>
  ask(identityOf(server.kubeconfig), `${configMaps}/large-1`, { headers: asGreedy });

/** Of the level `narrow`, from its row of the dump: waiting, executing, dispatched, rejected. */
async function counts(): Promise<number[]> {
  const path = "/debug/api_priority_and_fairness/dump_priority_levels";
  const { text } = await ask(identityOf(server.kubeconfig), path);
  const row = text.split("\n").find((line) => line.startsWith("narrow,")) ?? "";
  return row.split(/,\s*/).slice(4, 8).map(Number);
}

async function until(wanted: readonly number[]): Promise<void> {
  while (String((await counts()).slice(0, 2)) !== String(wanted));
}

it("lets a full level's requests wait, refuses those beyond, and nobody else notices", async () => {
  await start("36");
  await fill();
  await kubectl.ok(["apply", "-f", "-"], narrow);
  await kubectl.ok(["wait", "flowschema/greedy", "--for=condition=Dangling=False"]);
  for (let i = 0; i < 3; i++) await listSlowly();
  await until([0, 3]);
  const waiting = [getAsGreedy(), getAsGreedy()];
  await until([2, 3]);

  const refused = await getAsGreedy();
  expect([refused.status, refused.text]).toEqual([
    429,
    "Too many requests, please try again later.\n",
  ]);
  const { metadata: level } = await kubectl.json(["get", "prioritylevelconfiguration", "narrow"]);
  const { metadata: schema } = await kubectl.json(["get", "flowschema", "greedy"]);
  expect(refused.headers).toMatchObject({
    "retry-after": "1",
    "content-type": "text/plain; charset=utf-8",
    "x-kubernetes-pf-flowschema-uid": schema.uid,
    "x-kubernetes-pf-prioritylevel-uid": level.uid,
  });
  // Somebody else, on the same resource.
  expect((await kubectl.ok(["get", "configmap", "large-1", "-o", "name"])).trim()).toBe(
    "configmap/large-1",
  );
  const dump = [
    "get",
    "--raw",
    "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1",
  ];
  const mine = (await kubectl.ok(dump)).split("\n").filter((line) => line.startsWith("narrow,"));
  expect(mine.map((line) => line.split(/,\s*/)[3])).toEqual(["0", "1", "-1", "-1", "-1"]);

  for (const reader of readers) reader.destroy();
  for (const answer of await Promise.all(waiting)) {
    expect(answer.status).toBe(200);
    expect(answer.headers["x-kubernetes-pf-prioritylevel-uid"]).toBe(level.uid);
  }
  await until([0, 0]);
  expect(await kubectl.ok(["get", "--raw", "/metrics"])).toContain(
    'apiserver_flowcontrol_rejected_requests_total{priority_level="narrow",flow_schema="greedy",reason="queue-full"} 1\n',
  );
});

it("without it only the number of requests is limited, and administrators are let in", async () => {
  await start("36", "--enable-priority-and-fairness=false", "--max-requests-inflight=1");
  await fill();
  await listSlowly();
  const refused = await getAsGreedy();
  expect([refused.status, refused.text, refused.headers["retry-after"]]).toEqual([
    429,
    "Too many requests, please try again later.\n",
    "1",
  ]);
  expect(refused.headers["x-kubernetes-pf-flowschema-uid"]).toBeUndefined();
  await kubectl.ok(["get", "configmap", "large-1"]);
});
