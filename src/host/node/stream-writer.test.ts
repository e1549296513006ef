import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { StreamWriter } from "./stream-writer.ts";

it("says that lines are lost once the reader has left", async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
  const writer = new StreamWriter(stream);
  writer.write("one\n");
  await new Promise((resolve) => stream.once("close", resolve));
  expect(() => writer.write("two\n")).toThrow("EPIPE");
});
