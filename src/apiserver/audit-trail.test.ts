// What the audit log says of requests, against the lines of kube-apiserver 1.36.
import { describe, expect, it } from "vitest";
import type { AuditBackend } from "../accounting/audit/audit-backend.ts";
import { Auditor } from "../accounting/audit/auditor.ts";
import { type AuditEvent, eventLine } from "../accounting/audit/event.ts";
import { LostEvents } from "../accounting/audit/lost-events.ts";
import { parsePolicy } from "../accounting/audit/policy.ts";
import { createTestHost } from "../host/host.testbed.ts";
import { bed, configMap, configMaps, post } from "./server.testbed.ts";

function audited() {
  const { clock, log } = createTestHost();
  const lines: Record<string, unknown>[] = [];
  const backend = {
    put: (event: AuditEvent) => {
      lines.push(JSON.parse(eventLine(event)) as Record<string, unknown>);
      return true;
    },
    close: async () => {},
  };
  const policy = parsePolicy(
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: RequestResponse}]",
  );
  const lost = new LostEvents({ clock, log });
  const backends = [backend as unknown as AuditBackend];
  const auditor = new Auditor({ clock, policy, backends, lost });
  return { lines, ...bed({ auditor }) };
}

describe("the audit log", () => {
  it("says of a stranger what the stranger was told", async () => {
    const { lines, send } = audited();
    await send(configMaps, { headers: { authorization: "Bearer stranger" } });
    const told = { status: "Failure", message: "Unauthorized", reason: "Unauthorized", code: 401 };
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      stage: "ResponseStarted",
      responseStatus: { metadata: {}, ...told },
      responseObject: { kind: "Status", apiVersion: "v1", metadata: {}, ...told },
    });
  });

  it("has no options of a delete that sent none, and the Status that it was answered with", async () => {
    const { lines, send } = audited();
    await send(configMaps, post(configMap("a")));
    await send(`${configMaps}/a`, { method: "DELETE" });
    expect(lines[1]).toMatchObject({
      verb: "delete",
      responseStatus: { status: "Success", details: { name: "a", kind: "configmaps" }, code: 200 },
    });
    expect(lines[1]).not.toHaveProperty("requestObject");
    await send(configMaps, post(configMap("b")));
    const sent = { method: "DELETE", body: '{"gracePeriodSeconds":0}' };
    await send(`${configMaps}/b`, { ...sent, headers: { "content-type": "application/json" } });
    expect(lines[3]).toMatchObject({ requestObject: { gracePeriodSeconds: 0 } });
  });

  it("tells the start and the end of a watch that is refused", async () => {
    const { lines, send } = audited();
    const bob = { headers: { authorization: "Bearer bob" } };
    const { status } = await send(`${configMaps}?watch=1`, bob);
    expect(status).toBe(403);
    expect(lines.map(({ stage }) => stage)).toEqual(["ResponseStarted", "ResponseComplete"]);
    expect(lines[0]).toMatchObject({ responseStatus: { code: 403 } });
  });
});
