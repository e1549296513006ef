// What a story asks of the server: apiserver_request_total before and after, by verb and resource.
import type { LoadClient } from "./load-client.ts";

type Counts = ReadonlyMap<string, number>;

/** `POST pods/binding 201` -> requests since the start of the server. */
export async function requestCounts(client: LoadClient): Promise<Counts> {
  const { body } = await client.expect(200, "GET", "/metrics", { accept: "*/*", keep: true });
  const counts = new Map<string, number>();
  for (const [, labels = "", value] of body.toString().matchAll(requestLine)) {
    const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const what = [label("resource"), label("subresource")].filter((part) => part !== "").join("/");
    const key = `${label("verb")} ${what || "(no resource)"} ${label("code")}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
}

const requestLine = /^apiserver_request_total\{([^}]*)\} (\S+)$/gm;

const linesMax = 12;

/** Most first; what there was little of is left out. */
export function printCounts(before: Counts, after: Counts): string {
  return [...after]
    .map(([key, value]) => [key, value - (before.get(key) ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, linesMax)
    .map(([key, count]) => `    ${String(count).padStart(7)} ${key}`)
    .join("\n");
}
