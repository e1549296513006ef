import { describe, expect, it } from "vitest";
import {
  Negotiator,
  bodyMedia,
  builtInOffer,
  negotiate,
  plainOffer,
  wantsPretty,
} from "./negotiation.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

describe("negotiate", () => {
  it.each([
    [undefined, "json", ""],
    ["", "json", ""],
    ["*/*", "json", ""],
    ["application/*", "json", ""],
    ["application/json", "json", ""],
    ["application/yaml", "yaml", ""],
    ["application/vnd.kubernetes.protobuf,application/json", "protobuf", ""],
    ["application/json;q=0.5,application/yaml", "yaml", ""],
    ["*/*,application/yaml", "yaml", ""],
    ["text/html, application/xhtml+xml, */*;q=0.8", "json", ""],
    [
      `${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`,
      "json",
      "Table v1",
    ],
    ["application/json;as=Table;v=v1beta1;g=meta.k8s.io", "json", "Table v1beta1"],
    [
      "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json",
      "json",
      "",
    ],
    [
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
      "protobuf",
      "PartialObjectMetadataList v1",
    ],
    ["application/json;as=Other;v=v1;g=meta.k8s.io,application/json", "json", ""],
    ["application/json;stream=watch", "json", ""],
    ["application/json;stream=other,application/yaml", "yaml", ""],
    ["application/json;profile=nopeer", "json", ""],
    ["application/cbor, application/json;q=0.9", "json", ""],
  ])("%s", (accept, media, transform) => {
    const negotiated = negotiate(accept, builtInOffer);
    expect(negotiated?.media).toBe(media);
    const shape = negotiated?.transform;
    expect(shape === undefined ? "" : `${shape.kind} ${shape.version}`).toBe(transform);
  });

  it.each([
    ["text/html"],
    ["application/cbor"],
    ["application/json;stream=other"],
    ["application/json;as=Table;v=v2;g=meta.k8s.io"],
  ])("finds nothing for %s", (accept) => {
    expect(negotiate(accept, builtInOffer)).toBeUndefined();
    expect(() => new Negotiator(builtInOffer).get(accept)).toThrow(
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });

  it("offers no Table where there is none", () => {
    expect(negotiate(table, plainOffer)).toBeUndefined();
    expect(negotiate(`${table},application/json`, plainOffer)?.media).toBe("json");
  });

  it("remembers answers, bounded", () => {
    const negotiator = new Negotiator(builtInOffer);
    const first = negotiator.find(table);
    expect(negotiator.find(table)).toBe(first);
    for (let n = 0; n < 1_000; n++) negotiator.find(`application/json;x=${n}`);
    expect(negotiator.find(table)).toEqual(first);
  });
});

it.each([
  [undefined, "json"],
  ["application/json; charset=utf-8", "json"],
  ["APPLICATION/YAML", "yaml"],
  ["application/vnd.kubernetes.protobuf", "protobuf"],
  ["application/xml", undefined],
])("body %s", (type, media) => {
  expect(bodyMedia(type)).toBe(media);
});

it.each([
  [undefined, "curl/8.0", true],
  [undefined, "kubectl/v1.35", false],
  ["true", "kubectl", true],
  ["false", "curl/8.0", false],
  ["", "Mozilla/5.0 (X11)", true],
  ["2", "Wget/1", false],
])("pretty=%s for %s: %s", (pretty, agent, expected) => {
  expect(wantsPretty(pretty, agent)).toBe(expected);
});
