import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { schema } from "../../api/schema/schema.ts";
import { DiscoveryDocuments, hexOf } from "./discovery-documents.ts";

const digest = {
  sha256: (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest(),
  sha512: (bytes: Uint8Array): Uint8Array => createHash("sha512").update(bytes).digest(),
};
const documents = new DiscoveryDocuments(digest, {
  schema,
  options: { externalAddress: "127.0.0.1:6443" },
});
const text = new TextDecoder();
const v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const v2beta1 = v2.replace("v=v2", "v=v2beta1");

const golden = (name: string): string => `../../../test/golden/discovery/${name}.json`;
const shown = (path: string, accept?: string): string => {
  const document = documents.find(path, accept);
  return JSON.stringify(JSON.parse(text.decode(document?.bytes)), undefined, 2);
};

describe("discovery documents", () => {
  it.each([
    ["/api", undefined, "api"],
    ["/apis", undefined, "apis"],
    ["/api/v1", undefined, "api-v1"],
    ["/apis/apps", undefined, "apis-apps"],
    ["/apis/apps/v1", undefined, "apis-apps-v1"],
    ["/apis/autoscaling/v1", undefined, "apis-autoscaling-v1"],
    ["/api", v2, "api-aggregated"],
    ["/apis", v2, "apis-aggregated"],
  ])("%s for %s", async (path, accept, name) => {
    await expect(`${shown(path, accept)}\n`).toMatchFileSnapshot(golden(name));
  });

  it.each([
    ["/api/v2"],
    ["/apis/"],
    ["/apis/nope"],
    ["/apis/apps/v2"],
    ["/api/v1/pods"],
    ["/apis/apps/v1/deployments"],
  ])("%s leads nowhere", (path) => {
    expect(documents.find(path, undefined)).toBeUndefined();
  });

  it.each([
    [`${v2},${v2beta1},application/json`, v2],
    [`${v2};profile=nopeer,${v2},application/json`, v2],
    [`${v2beta1},application/json`, "application/json"],
    ["application/json", "application/json"],
    [`application/json,${v2}`, "application/json"],
    [`application/json;q=0.1,${v2}`, v2],
    ["*/*", "application/json"],
  ])("answers Accept: %s with %s", (accept, contentType) => {
    expect(documents.find("/apis", accept)?.contentType).toBe(contentType);
    expect(documents.find("/apis/apps", accept)?.contentType).toBe("application/json");
  });

  it("tags aggregated documents with the hash of their bytes", () => {
    const document = documents.find("/apis", v2);
    expect(document?.etag).toBe(`"${hexOf(digest.sha512(document!.bytes))}"`);
    expect(document?.etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(documents.find("/apis", undefined)?.etag).toBeUndefined();
    expect(documents.find("/apis", v2)).toBe(document);
  });

  it("keeps the storage version hashes clients know", () => {
    const list = JSON.parse(shown("/api/v1")) as {
      resources: { name: string; storageVersionHash?: string }[];
    };
    const hash = (name: string): string | undefined =>
      list.resources.find((resource) => resource.name === name)?.storageVersionHash;
    expect(hash("pods")).toBe("xPOwRZ+Yhw8=");
    expect(hash("configmaps")).toBe("qFsyl6wFWjQ=");
    expect(hash("bindings")).toBeUndefined();
    expect(hash("pods/status")).toBeUndefined();
  });

  it.each([
    ["/apis/autoscaling/v1", "horizontalpodautoscalers", "qwQve8ut294="],
    ["/apis/events.k8s.io/v1", "events", "r2yiGXH7wu8="],
    ["/apis/admissionregistration.k8s.io/v1", "mutatingadmissionpolicies", "LYmCf+UMVdg="],
    ["/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", "jfWCUB31mvA="],
  ])("says of %s %s that it is stored in another version", (path, name, hash) => {
    const { resources } = JSON.parse(shown(path)) as {
      resources: { name: string; storageVersionHash?: string }[];
    };
    expect(resources.find((one) => one.name === name)?.storageVersionHash).toBe(hash);
  });
});
