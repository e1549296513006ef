import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../api/types/core-v1.ts";
import type { BodySink } from "../host/http.ts";
import { bookmark, configMap, event, refusal, scriptedServer } from "../../test/scripted-server.ts";
import { simulate } from "../../test/simulation.ts";
import { Client } from "./client.ts";
import { transportIdentity } from "./identity.ts";
import { Watch, type WatchEvent } from "./watch.ts";

const encoder = new TextEncoder();

function textOf(one: WatchEvent<ConfigMap>): string {
  if (one.type === "BOOKMARK") return `BOOKMARK ${one.resourceVersion} ${one.initialEventsEnd}`;
  if (one.type === "ERROR") return `ERROR ${one.error.reason}`;
  return `${one.type} ${one.object.metadata.name}`;
}

async function collect(watch: Watch<ConfigMap>): Promise<string[]> {
  const texts: string[] = [];
  for await (const one of watch) texts.push(textOf(one));
  return texts;
}

const lines = [
  event("ADDED", configMap("ä", "1")),
  event("MODIFIED", configMap("b", "2")),
  bookmark("3"),
  bookmark("4", true),
  event("DELETED", configMap("b", "5")),
  event("ERROR", { kind: "Status", reason: "Expired", code: 410 }),
];
const told = [
  "ADDED ä",
  "MODIFIED b",
  "BOOKMARK 3 false",
  "BOOKMARK 4 true",
  "DELETED b",
  "ERROR Expired",
];

describe("a watch", () => {
  it("tells events whatever the chunks they come in", async () => {
    const bytes = encoder.encode(lines.join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
        const body = async (sink: BodySink): Promise<void> => {
          let at = 0;
          for (const end of ends) {
            // A lent chunk: overwritten as soon as the write resolves.
            const chunk = bytes.slice(at, end);
            await sink.write(chunk);
            chunk.fill(0);
            at = end;
          }
        };
        expect(await collect(new Watch(body, new AbortController()))).toEqual(told);
      }),
    );
  });

  it("reads no further than it is asked", async () => {
    let written = 0;
    const body = async (sink: BodySink): Promise<void> => {
      for (const line of lines) {
        await sink.write(encoder.encode(line));
        written++;
      }
    };
    const { driver } = simulate();
    const watch = new Watch<ConfigMap>(body, new AbortController());
    await watch.next();
    await driver.settle();
    expect(written).toBe(0);
    await watch.next();
    await watch.next();
    await driver.settle();
    expect(written).toBe(2);
    watch.stop();
  });

  it("ends like any other when the connection breaks", async () => {
    const body = async (sink: BodySink): Promise<void> => {
      await sink.write(encoder.encode(lines[0]));
      throw new Error("reset");
    };
    expect(await collect(new Watch(body, new AbortController()))).toEqual(["ADDED ä"]);
  });

  it("stops the server's stream when its reader leaves", async () => {
    let aborted = false;
    const body = async (sink: BodySink): Promise<void> => {
      sink.signal.addEventListener("abort", () => (aborted = true));
      await sink.write(encoder.encode(lines[0]));
      await sink.write(encoder.encode(lines[1]));
    };
    for await (const _ of new Watch<ConfigMap>(body, new AbortController())) break;
    expect(aborted).toBe(true);
  });

  it("wakes a waiting reader when it is stopped", async () => {
    const silent = (): Promise<void> => new Promise(() => undefined);
    const watch = new Watch<ConfigMap>(silent, new AbortController());
    const next = watch.next();
    watch.stop();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe("opening a watch", () => {
  const open = (answer: Parameters<typeof scriptedServer>[0]): Promise<Watch<ConfigMap>> => {
    const { host } = simulate();
    const { transport } = scriptedServer(answer);
    const options = { userAgent: "t", identity: transportIdentity, rateLimit: undefined };
    return new Client(host, transport, options).resource("configmaps").watch();
  };

  it("gives 410 as an event", async () => {
    expect(await collect(await open(() => refusal(410, "Expired")))).toEqual(["ERROR Expired"]);
  });

  it("rejects with other refusals", async () => {
    await expect(open(() => refusal(403, "Forbidden"))).rejects.toMatchObject({ code: 403 });
  });
});
