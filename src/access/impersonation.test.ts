import { describe, expect, test } from "vitest";
import type { UserInfo } from "../api/user-info.ts";
import type { AuthorizationAttributes, Authorizer } from "./authorization.ts";
import { impersonate } from "./impersonation.ts";

const requestor: UserInfo = { name: "u", uid: "", groups: ["g"], extra: {} };

const listPods = (user: UserInfo): AuthorizationAttributes => ({
  user,
  verb: "list",
  request: {
    kind: "Resource",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "default",
    name: "",
  },
});

function headersOf(values: Record<string, string[]>) {
  return {
    headers: Object.fromEntries(
      Object.entries(values).map(([name, list]) => [name, list.join(", ")]),
    ),
    repeated: (name: string): readonly string[] => values[name] ?? [],
  };
}

/** Allows the listed `VERB RESOURCE[/SUB][@GROUP] [NS/]NAME`, and remembers what it was asked. */
function allowing(...allowed: string[]): Authorizer & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    authorize({ verb, request }) {
      if (request.kind !== "Resource") return Promise.resolve({ allowed: false, reason: "" });
      const { resource, subresource, group, namespace, name } = request;
      const what = `${resource}${subresource && `/${subresource}`}${group && `@${group}`}`;
      const question = `${verb} ${what} ${namespace && `${namespace}/`}${name}`;
      asked.push(question);
      return Promise.resolve({ allowed: allowed.includes(question), reason: "" });
    },
  };
}

async function refusal(values: Record<string, string[]>, authorizer: Authorizer, by = requestor) {
  const result = impersonate(headersOf(values), listPods(by), authorizer);
  const error: unknown = await result.catch((failed: unknown) => failed);
  const { code, message } = error as { code: number; message: string };
  return [code, message];
}

describe("impersonate", () => {
  test.each(["constructor", "__proto__"])("an extra may be called %s", async (key) => {
    const headers = { "impersonate-user": ["x"], [`impersonate-extra-${key}`]: ["a", "b"] };
    const authorizer: Authorizer = {
      authorize: () => Promise.resolve({ allowed: true, reason: "" }),
    };
    const user = await impersonate(headersOf(headers), listPods(requestor), authorizer);
    expect(Object.entries(user.extra)).toEqual([[key, ["a", "b"]]]);
  });

  test("without headers the user stays", async () => {
    expect(await impersonate(headersOf({}), listPods(requestor), allowing())).toBe(requestor);
  });

  test.each<[string, Record<string, string[]>, string[], UserInfo]>([
    [
      "a user, the old way",
      { "impersonate-user": ["x"] },
      ["impersonate users x"],
      { name: "x", uid: "", groups: ["system:authenticated"], extra: {} },
    ],
    [
      "everything, the old way",
      {
        "impersonate-user": ["x"],
        "impersonate-uid": ["7"],
        "impersonate-group": ["dev", "ops, night"],
        "impersonate-extra-example.com%2fscope": ["a", "b"],
      },
      [
        "impersonate users x",
        "impersonate uids@authentication.k8s.io 7",
        "impersonate groups dev",
        "impersonate groups ops, night",
        "impersonate userextras/example.com/scope@authentication.k8s.io a",
        "impersonate userextras/example.com/scope@authentication.k8s.io b",
      ],
      {
        name: "x",
        uid: "7",
        groups: ["dev", "ops, night", "system:authenticated"],
        extra: { "example.com/scope": ["a", "b"] },
      },
    ],
    [
      "a ServiceAccount",
      { "impersonate-user": ["system:serviceaccount:ns:sa"] },
      ["impersonate serviceaccounts ns/sa"],
      {
        name: "system:serviceaccount:ns:sa",
        uid: "",
        groups: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
        extra: {},
      },
    ],
    [
      "nobody",
      { "impersonate-user": ["system:anonymous"] },
      ["impersonate users system:anonymous"],
      { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} },
    ],
    [
      "a user for this verb only",
      { "impersonate-user": ["x"] },
      [
        "impersonate-on:user-info:list pods default/",
        "impersonate:user-info users@authentication.k8s.io x",
      ],
      { name: "x", uid: "", groups: ["system:authenticated"], extra: {} },
    ],
    [
      "a node for this verb only",
      { "impersonate-user": ["system:node:n"] },
      [
        "impersonate-on:arbitrary-node:list pods default/",
        "impersonate:arbitrary-node nodes@authentication.k8s.io n",
      ],
      {
        name: "system:node:n",
        uid: "",
        groups: ["system:nodes", "system:authenticated"],
        extra: {},
      },
    ],
  ])("%s", async (_, values, allowed, user) => {
    const authorizer = allowing(...allowed);
    expect(await impersonate(headersOf(values), listPods(requestor), authorizer)).toEqual(user);
    expect(authorizer.asked).toEqual(expect.arrayContaining(allowed));
  });

  test("an agent becomes the node it runs on", async () => {
    const agent: UserInfo = {
      name: "system:serviceaccount:ns:agent",
      uid: "",
      groups: [],
      extra: { "authentication.kubernetes.io/node-name": ["n"] },
    };
    const allowed = allowing(
      "impersonate-on:associated-node:list pods default/",
      "impersonate:associated-node nodes@authentication.k8s.io *",
    );
    const own = headersOf({ "impersonate-user": ["system:node:n"] });
    expect((await impersonate(own, listPods(agent), allowed)).name).toBe("system:node:n");
    expect((await refusal({ "impersonate-user": ["system:node:m"] }, allowed, agent))[0]).toBe(403);
  });

  test.each<[string, Record<string, string[]>, string[], number, string]>([
    [
      "groups alone",
      { "impersonate-group": ["g"] },
      [],
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      "a user, by nobody's leave",
      { "impersonate-user": ["x"] },
      [],
      403,
      'pods is forbidden: User "u" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      "system:masters in a constrained mode",
      { "impersonate-user": ["x"], "impersonate-group": ["system:masters"] },
      [
        "impersonate-on:user-info:list pods default/",
        "impersonate:user-info users@authentication.k8s.io x",
      ],
      403,
      'groups.authentication.k8s.io "system:masters" is forbidden: User "u" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    ],
  ])("refuses %s", async (_, values, allowed, code, message) => {
    expect(await refusal(values, allowing(...allowed))).toEqual([code, message]);
  });
});
