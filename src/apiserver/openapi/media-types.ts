// Media types as OpenAPI documents list them. CBOR is left out: it is off by default and not served.

export const objectMediaTypes: readonly string[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

export const listMediaTypes: readonly string[] = [
  ...objectMediaTypes,
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];

export const patchMediaTypes: readonly string[] = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

export const anyMediaType: readonly string[] = ["*/*"];
