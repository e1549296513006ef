import { expect, test } from "vitest";
import { createStaticTokenAuthenticator, parseTokenFile } from "./static-token.ts";

test("parses kube's format", () => {
  const users = parseTokenFile(
    [
      "t1,alice,1",
      't2,bob,2,"dev,ops"',
      "t3, carol ,3,one",
      '"t,4","da""ve",',
      "",
      "# no token",
      'admin,admin,9,"system:masters"',
    ].join("\r\n"),
  );
  expect(
    [...users].map(([token, { name, uid, groups }]) => [token, name, uid, groups.join(" ")]),
  ).toEqual([
    ["t1", "alice", "1", "system:authenticated"],
    ["t2", "bob", "2", "dev ops system:authenticated"],
    ["t3", "carol ", "3", "one system:authenticated"],
    ["t,4", 'da"ve', "", "system:authenticated"],
    ["admin", "admin", "9", "system:masters system:authenticated"],
  ]);
});

test.each([
  ["a,b", "token file: line 1: must have at least 3 columns (token, user name, user uid)"],
  ['a,b,"c', "token file: line 1: misplaced quote"],
  ['a,b"b,c', "token file: line 1: misplaced quote"],
  ["x,y,z\n,b,c", "token file: line 2: the token is empty"],
])("refuses %j", (text, message) => {
  expect(() => parseTokenFile(text)).toThrow(message);
});

test("finds the token's user", async () => {
  const tokens = createStaticTokenAuthenticator(parseTokenFile("t,u,1"));
  expect(await tokens.authenticateToken("x", ["a"])).toEqual({ kind: "Unknown" });
  expect(await tokens.authenticateToken("t", ["a"])).toEqual({
    kind: "Authenticated",
    user: { name: "u", uid: "1", groups: ["system:authenticated"], extra: {} },
    audiences: ["a"],
  });
});
