// What findings judge: all rows of one user, one program and one shape of request taken together, wherever they come
// from. An agent on eighty nodes is eighty rows and one pattern.
import { type Counts, loadOf, sumCounts } from "../ledger/counters.ts";
import type { LedgerRow } from "../ledger/ledger-row.ts";
import type { Client, Shape } from "../ledger/shape.ts";
import { groupBy } from "../../std/group-by.ts";

export interface Pattern {
  readonly client: Omit<Client, "source">;
  readonly shape: Shape;
  readonly sources: readonly string[];
  /** Users at their addresses. */
  readonly members: number;
  /** Of the window. */
  readonly counts: Counts;
  readonly watchesOpen: number;
  readonly peakPerSecond: number;
  readonly load: number;
}

/** What a user is called in patterns. */
export type Naming = (user: string) => string;

export const byUser: Naming = (user) => user;

export const everyNode = "system:node:*";

export function isNode(user: string): boolean {
  return user.startsWith("system:node:");
}

/** Each node is a user of its own, and all of them run the same program. */
export const nodesTogether: Naming = (user) => (isNode(user) ? everyNode : user);

/** Whether the user of a finding is this one, alone or as a node among all. */
export function concerns(found: string, user: string): boolean {
  return found === user || found === nodesTogether(user);
}

export function patternsOf(rows: readonly LedgerRow[], naming: Naming): Pattern[] {
  const groups = groupBy(rows, ({ client: { user, userAgent }, shape }) =>
    JSON.stringify([naming(user), userAgent, shape]),
  );
  return [...groups.values()].map((group) => patternOf(group, naming));
}

function patternOf(rows: readonly LedgerRow[], naming: Naming): Pattern {
  const { client, shape } = rows[0]!;
  const counts = sumCounts(rows.map((row) => row.window));
  const sum = (of: (row: LedgerRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  return {
    client: { ...client, user: naming(client.user) },
    shape,
    sources: [...new Set(rows.map((row) => row.client.source))],
    members: new Set(rows.map((row) => `${row.client.user}\n${row.client.source}`)).size,
    counts,
    watchesOpen: sum((row) => row.watchesOpen),
    peakPerSecond: sum((row) => row.peakPerSecond),
    load: loadOf(counts),
  };
}

/** `LIST pods by spec.nodeName=?, all namespaces` */
export function describeShape(shape: Shape): string {
  if (shape.resource === "") return `${shape.verb.toUpperCase()} ${shape.path}`;
  const group = shape.group === "" ? "" : `.${shape.group}`;
  const sub = shape.subresource === "" ? "" : `/${shape.subresource}`;
  const selectors = [shape.labelSelector, shape.fieldSelector].filter((text) => text !== "");
  const by = selectors.length === 0 ? "" : ` by ${selectors.join(" and ")}`;
  const ranges = shape.verb === "list" || shape.verb === "watch";
  const where = !ranges ? "" : shape.namespaced ? ", one namespace" : ", everywhere";
  const limit = shape.limit === "" ? "" : `, limit ${shape.limit}`;
  return `${shape.verb.toUpperCase()} ${shape.resource}${group}${sub}${by}${where}${limit}`;
}

/** Objects a request returned, on average. */
export function returnedEach({ counts }: Pattern): number {
  return counts.requests === 0 ? 0 : counts.objectsReturned / counts.requests;
}

/** Objects a request looked at, on average. */
export function scannedEach({ counts }: Pattern): number {
  return counts.requests === 0 ? 0 : counts.objectsScanned / counts.requests;
}
