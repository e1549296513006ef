// Tokens from a file of lines `token,user,uid[,"group1,group2"]` (upstream: --token-auth-file, tokenfile).
// Parsing is pure; reading the file is the caller's.
import { withAuthenticatedGroup } from "../users.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";

/** Throws Error naming the line when it has fewer than three columns, no token or a stray quote. Later lines win. */
export function parseTokenFile(text: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return;
    const [token, name, uid, groups = ""] = splitCsvLine(line, index + 1);
    if (token === undefined || name === undefined || uid === undefined) {
      throw new Error(
        `token file: line ${index + 1}: must have at least 3 columns (token, user name, user uid)`,
      );
    }
    if (token === "") throw new Error(`token file: line ${index + 1}: the token is empty`);
    const list = groups.split(",").filter((group) => group !== "");
    users.set(token, withAuthenticatedGroup({ name, uid, groups: list, extra: {} }));
  });
  return users;
}

/** Fields may be quoted; a doubled quote inside quotes is one quote. Blanks before a field are dropped. */
function splitCsvLine(line: string, number: number): string[] {
  const fields: string[] = [];
  const field = /\s*(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/y;
  for (;;) {
    const match = field.exec(line);
    if (match === null) throw new Error(`token file: line ${number}: misplaced quote`);
    fields.push(match[1] === undefined ? (match[2] ?? "") : match[1].replace(/""/g, '"'));
    if (field.lastIndex >= line.length && !match[0].endsWith(",")) return fields;
  }
}

export function createStaticTokenAuthenticator(
  users: ReadonlyMap<string, UserInfo>,
): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      const user = users.get(token);
      // Static tokens know no audiences: they are good for whichever was asked for.
      return Promise.resolve(
        user === undefined ? { kind: "Unknown" } : { kind: "Authenticated", user, audiences },
      );
    },
  };
}
