import { expect, it } from "vitest";
import type { AuditEvent } from "./event.ts";
import { legacyLine } from "./legacy-line.ts";

const event: AuditEvent = {
  level: "Metadata",
  auditId: "id",
  stage: "ResponseComplete",
  requestUri: '/api/v1/pods?x="',
  verb: "list",
  user: { name: "ann", uid: "", groups: ["a", "b"], extra: {} },
  impersonatedUser: undefined,
  sourceIps: ["10.0.0.1", "10.0.0.2"],
  userAgent: "agent/1",
  objectRef: undefined,
  responseStatus: { code: 200 },
  requestObject: undefined,
  responseObject: undefined,
  receivedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 670),
  stageAt: 0,
  annotations: new Map(),
};

it("is kube-apiserver's line", () => {
  expect(legacyLine(event)).toBe(
    String.raw`2026-01-02T03:04:05.67Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="list" user="ann" groups="\"a\",\"b\"" as="<self>" asgroups="<lookup>" user-agent="agent/1" namespace="<none>" uri="/api/v1/pods?x=\"" response="200"`,
  );
});

it("names what is not known, and whom somebody acts as", () => {
  const line = legacyLine({
    ...event,
    user: { name: "", uid: "", groups: [], extra: {} },
    impersonatedUser: { name: "bob", uid: "", groups: ["c"], extra: {} },
    sourceIps: [],
    responseStatus: undefined,
    receivedAt: Date.UTC(2026, 0, 2),
  });
  expect(line).toBe(
    String.raw`2026-01-02T00:00:00Z AUDIT: id="id" stage="ResponseComplete" ip="<unknown>" method="list" user="<none>" groups="<none>" as="bob" asgroups="\"c\"" user-agent="agent/1" namespace="<none>" uri="/api/v1/pods?x=\"" response="<deferred>"`,
  );
});
