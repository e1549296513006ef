import { describe, expect, it } from "vitest";
import type { Accountant, AnsweredRequest, FinishedRequest } from "../accounting/accountant.ts";
import { CollectingSink, bed, configMap, configMaps, post, requestOf } from "./server.testbed.ts";

class Books implements Accountant {
  readonly finishedOnes: FinishedRequest[] = [];
  readonly open: Set<AnsweredRequest> = new Set();

  finished(request: FinishedRequest): void {
    this.finishedOnes.push(request);
  }

  opened(request: AnsweredRequest): () => void {
    this.open.add(request);
    return () => this.open.delete(request);
  }

  get last(): FinishedRequest {
    return this.finishedOnes.at(-1)!;
  }
}

describe("a request's account", () => {
  it("tells who asked for what, and what it moved", async () => {
    const books = new Books();
    const { send } = bed({ accountant: books });
    const body = JSON.stringify(configMap("a"));
    const created = await send(configMaps, post(body, { authorization: "Bearer ann" }));
    expect(books.last).toMatchObject({
      status: 201,
      digest: {
        verb: "create",
        resource: "configmaps",
        user: { name: "ann" },
        source: "127.0.0.1",
      },
      cost: { bytesIn: body.length, bytesOut: created.bytes.length },
    });
    const list = await send(`${configMaps}?labelSelector=a%3Db&limit=7&resourceVersion=0`);
    expect(books.last).toMatchObject({
      digest: { verb: "list", labelSelector: "a=b", limit: "7", resourceVersion: "0" },
      cost: { objectsScanned: 1, objectsReturned: 1, bytesOut: list.bytes.length },
    });
  });

  it("is handed in for refusals too", async () => {
    const books = new Books();
    const { send } = bed({ accountant: books });
    await send(`${configMaps}/none`);
    await send(configMaps, post(configMap("a"), { authorization: "Bearer bob" }));
    await send(configMaps, { headers: { authorization: "Bearer stranger" } });
    expect(books.finishedOnes.map(({ status }) => status)).toEqual([404, 403, 401]);
  });

  it("of a watch is open while the stream is", async () => {
    const books = new Books();
    const { server, registries, send } = bed({ accountant: books });
    const { body } = await server.handle(requestOf(`${configMaps}?watch=1`));
    const [account] = [...books.open];
    const sink = new CollectingSink();
    const streaming = (body as (sink: CollectingSink) => Promise<void>)(sink);
    await send(configMaps, post(configMap("a")));
    await send(configMaps, post(configMap("b")));
    expect(account?.cost.eventsDelivered).toBe(2);
    expect(account?.cost.bytesOut).toBe(sink.text.length);
    expect(books.finishedOnes.every(({ digest }) => digest.verb === "create")).toBe(true);
    for (const watcher of registries.get("configmaps")!.watchers) watcher.close();
    await streaming;
    expect(books.open.size).toBe(0);
  });
});
