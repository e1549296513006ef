import { describe, expect, it } from "vitest";
import { createTestHost } from "../../host/host.testbed.ts";
import { cost, digest } from "../accounting.testbed.ts";
import { AuditBackend, type AuditMode } from "./audit-backend.ts";
import { Auditor, type AuditedRequest } from "./auditor.ts";
import { eventLine } from "./event.ts";
import { noThrottle } from "./event-batcher.ts";
import { LogOutlet } from "./log-outlet.ts";
import { LostEvents } from "./lost-events.ts";
import { parsePolicy } from "./policy.ts";
import type { TruncateLimits } from "./truncation.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

class Paper {
  text = "";
  full = false;
  write(lines: string): void {
    if (this.full) throw new Error("no space left");
    this.text += lines;
  }
  close(): void {}
  get events(): Record<string, unknown>[] {
    return this.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

function open(rules: string, mode: AuditMode = "blocking", truncate?: TruncateLimits) {
  const host = createTestHost();
  const { clock, log } = host;
  const paper = new Paper();
  const lost = new LostEvents({ clock, log });
  const parts = { clock, outlet: new LogOutlet(paper, lost), throttle: noThrottle, lost };
  const batch = { bufferSize: 10_000, maxSize: 400, maxWaitMs: 100 };
  const backends = [new AuditBackend(parts, eventLine, { mode, batch, truncate })];
  const auditor = new Auditor({ clock, policy: parsePolicy(head + rules), backends, lost });
  return { host, paper, auditor };
}

const nothingLost = { log: 0, webhook: 0, buffered: 0, truncate: 0 };

const request = (more: Partial<AuditedRequest> = {}): AuditedRequest => ({
  ...digest({ verb: "create", resource: "configmaps", namespace: "n" }),
  requestUri: "/api/v1/namespaces/n/configmaps?fieldManager=<x>&y",
  sourceIps: ["10.0.0.1"],
  ...more,
});
const configMap = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "n", managedFields: [{ manager: "m" }] },
  data: { k: "<&>" },
};

describe("an audited request", () => {
  it("is a line a stage, as kube-apiserver writes it", async () => {
    const { host, paper, auditor } = open("rules: [{level: RequestResponse}]");
    const trail = auditor.begin(request())!;
    expect(trail.received()).toBe(true);
    trail.annotations
      .set("authorization.k8s.io/reason", "")
      .set("authorization.k8s.io/decision", "allow");
    trail.sent(configMap);
    trail.answered('{ "kind": "ConfigMap" }');
    await host.advance(12);
    void trail.complete(201, cost({ storeWrites: 1, cpuMs: 1.5 }));
    void trail.complete(500, cost());
    const at = new Date(host.clock.now() - 12).toISOString().replace("Z", "000Z");
    const after = new Date(host.clock.now()).toISOString().replace("Z", "000Z");
    const common =
      '"requestURI":"/api/v1/namespaces/n/configmaps?fieldManager=\\u003cx\\u003e\\u0026y","verb":"create","user":{"username":"ann","groups":["system:authenticated"]},"sourceIPs":["10.0.0.1"],"userAgent":"agent/1",';
    expect(paper.text.split("\n")).toEqual([
      `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"RequestReceived",${common}"objectRef":{"resource":"configmaps","namespace":"n","apiVersion":"v1"},"requestReceivedTimestamp":"${at}","stageTimestamp":"${at}"}`,
      `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"ResponseComplete",${common}"objectRef":{"resource":"configmaps","namespace":"n","name":"a","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":201},"requestObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","managedFields":[{"manager":"m"}]},"data":{"k":"\\u003c\\u0026\\u003e"}},"responseObject":{"kind":"ConfigMap"},"requestReceivedTimestamp":"${at}","stageTimestamp":"${after}","annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"","cost.wavetank.dev/cpu-us":"1500","cost.wavetank.dev/store-writes":"1"}}`,
      "",
    ]);
  });

  it.each([
    ["Metadata", undefined, undefined],
    ["Request", configMap, undefined],
  ])("holds at level %s no more than that", (level, requestObject, responseObject) => {
    const { paper, auditor } = open(`rules: [{level: ${level}}]`);
    const trail = auditor.begin(request())!;
    trail.sent(configMap);
    expect(trail.wantsResponse).toBe(false);
    void trail.complete(200, cost());
    const [event] = paper.events;
    expect([event!["requestObject"], event!["responseObject"]]).toEqual([
      requestObject,
      responseObject,
    ]);
    expect(event!["objectRef"]).toMatchObject({ name: "a" });
  });

  it("leaves out what the policy omits", () => {
    const { paper, auditor } = open(
      "omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{level: None, users: [bob]}, {level: RequestResponse}]",
    );
    expect(auditor.begin(request(digest({ as: "bob" })))).toBeUndefined();
    const trail = auditor.begin(request())!;
    void trail.received();
    trail.sent(configMap);
    trail.answered(JSON.stringify({ kind: "List", items: [configMap] }));
    void trail.complete(200, cost());
    expect(paper.events.map(({ stage }) => stage)).toEqual(["ResponseComplete"]);
    expect(paper.text).not.toContain("managedFields");
    expect(auditor.byLevel).toEqual({ None: 1, Metadata: 0, Request: 0, RequestResponse: 1 });
  });

  it("of a refusal carries the refusal's words", () => {
    const { paper, auditor } = open("rules: [{level: Metadata}]");
    const trail = auditor.begin(request())!;
    trail.answeredStatus({
      kind: "Status",
      status: "Failure",
      message: "no",
      reason: "Forbidden",
      code: 403,
    });
    void trail.complete(403, cost());
    const status = {
      metadata: {},
      status: "Failure",
      message: "no",
      reason: "Forbidden",
      code: 403,
    };
    expect(paper.events[0]).toMatchObject({ responseStatus: status });
  });

  it("of a delete carries the Status it was answered with, and its code", () => {
    const { paper, auditor } = open("rules: [{level: Metadata}]");
    const trail = auditor.begin(request({ verb: "delete" }))!;
    trail.answeredStatus({ kind: "Status", status: "Success", details: { name: "a" } });
    void trail.complete(200, cost());
    expect(paper.events[0]).toMatchObject({
      responseStatus: { metadata: {}, status: "Success", details: { name: "a" }, code: 200 },
    });
  });

  it("that panicked ends there", () => {
    const { paper, auditor } = open("omitStages: [RequestReceived]\nrules: [{level: Metadata}]");
    const trail = auditor.begin(request())!;
    trail.panicked("boom");
    void trail.complete(500, cost());
    expect(paper.events.map(({ stage }) => stage)).toEqual(["Panic"]);
  });
});

describe("a log that cannot be written", () => {
  it.each([
    ["blocking", true, 0],
    ["blocking-strict", false, 1],
  ] as const)("%s: the request goes on: %s", (mode, goesOn, rejected) => {
    const { paper, auditor } = open("rules: [{level: Metadata}]", mode);
    paper.full = true;
    expect(auditor.begin(request())!.received()).toBe(goesOn);
    expect(auditor.lost).toEqual({ ...nothingLost, log: 1 });
    expect(auditor.rejected).toBe(rejected);
  });

  it("batch: loses what does not fit, counts it, and writes the rest soon", async () => {
    const { host, paper, auditor } = open(
      "omitStages: [RequestReceived]\nrules: [{level: Metadata}]",
      "batch",
    );
    for (let i = 0; i < 10_010; i++) void auditor.begin(request())!.complete(200, cost());
    expect(paper.text).toBe("");
    await host.advance(200);
    expect(paper.events.length).toBe(10_000);
    expect(auditor.lost).toEqual({ ...nothingLost, buffered: 10 });
    expect(host.logged.length).toBe(1);
    await auditor.close();
    expect(host.logged.length).toBe(2);
  });
});

describe("an event that is too long", () => {
  const long = { ...configMap, data: { k: "x".repeat(2_000) } };
  const truncate = { eventBytesMax: 1_000, batchBytesMax: 10_000 };

  it("is kept without the objects, and says so", () => {
    const { paper, auditor } = open("rules: [{level: Request}]", "blocking", truncate);
    const trail = auditor.begin(request())!;
    trail.sent(long);
    void trail.complete(200, cost());
    const [event] = paper.events;
    expect(event).not.toHaveProperty("requestObject");
    expect(event).toMatchObject({ annotations: { "audit.k8s.io/truncated": "true" } });
    expect(auditor.lost).toEqual(nothingLost);
  });

  it("is lost and counted when that is not enough, and no request is refused for it", () => {
    const { paper, auditor } = open("rules: [{level: Request}]", "blocking-strict", truncate);
    const requestUri = `/api/v1/pods?labelSelector=${"y".repeat(2_000)}`;
    expect(auditor.begin(request({ requestUri }))!.received()).toBe(true);
    expect(paper.text).toBe("");
    expect(auditor.lost).toEqual({ ...nothingLost, truncate: 1 });
  });
});
