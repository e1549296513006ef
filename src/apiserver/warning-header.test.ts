import { expect, it } from "vitest";
import { warningHeaders } from "./warning-header.ts";
import { offeredSubprotocol, socketToken, wantsWebSocket } from "./web-socket.ts";

it("escapes warnings and keeps them short when there are many", () => {
  expect(warningHeaders(['unknown field "a\\b"', "two\nlines"])).toEqual([
    String.raw`299 - "unknown field \"a\\b\""`,
    '299 - "two lines"',
  ]);
  const long = warningHeaders(["é".repeat(3_000), "b".repeat(3_000)]);
  expect(long).toEqual([`299 - "${"é".repeat(256)}"`, `299 - "${"b".repeat(256)}"`]);
});

it("reads WebSocket requests", () => {
  const token = "base64url.bearer.authorization.k8s.io.dG9rZW4_";
  expect(wantsWebSocket({ upgrade: "WebSocket" })).toBe(true);
  expect(wantsWebSocket({})).toBe(false);
  expect(offeredSubprotocol({ "sec-websocket-protocol": `${token}, chat` })).toBe("chat");
  expect(offeredSubprotocol({})).toBeUndefined();
  expect(socketToken(`chat, ${token}`)).toBe("Bearer token?");
  expect(socketToken("base64url.bearer.authorization.k8s.io.%%")).toBeUndefined();
  expect(socketToken(undefined)).toBeUndefined();
});
