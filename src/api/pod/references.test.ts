import { describe, expect, it } from "vitest";
import type { PodSpec } from "../types/core-v1.ts";
import { podReferences } from "./references.ts";

const of = (spec: Partial<PodSpec>): ReturnType<typeof podReferences> =>
  podReferences({ metadata: { name: "p" }, spec: { containers: [{ name: "c" }], ...spec } });

describe("what a pod refers to", () => {
  it("finds every kind of reference, each once", () => {
    const env = [
      { name: "A", valueFrom: { secretKeyRef: { name: "env-secret", key: "k" } } },
      { name: "B", valueFrom: { configMapKeyRef: { name: "env-map", key: "k" } } },
      { name: "C", value: "plain" },
    ];
    const envFrom = [
      { secretRef: { name: "from-secret" } },
      { configMapRef: { name: "from-map" } },
    ];
    const spec: Partial<PodSpec> = {
      imagePullSecrets: [{ name: "pull" }, {}],
      initContainers: [{ name: "i", env }],
      containers: [
        { name: "c", env, envFrom },
        { name: "d", env },
      ],
      volumes: [
        { name: "a", secret: { secretName: "volume-secret" } },
        { name: "b", configMap: { name: "volume-map" } },
        {
          name: "c",
          projected: {
            sources: [
              { secret: { name: "projected-secret" } },
              { configMap: { name: "projected-map" } },
              { serviceAccountToken: { path: "token" } },
            ],
          },
        },
        { name: "d", csi: { driver: "x", nodePublishSecretRef: { name: "csi-secret" } } },
        { name: "e", persistentVolumeClaim: { claimName: "claim" } },
        { name: "f", ephemeral: {} },
        { name: "g", emptyDir: {} },
        { name: "h", azureFile: { secretName: "azure-secret", shareName: "s" } },
      ],
    };
    expect(of(spec)).toEqual({
      secrets: [
        "pull",
        "env-secret",
        "from-secret",
        "volume-secret",
        "projected-secret",
        "csi-secret",
        "azure-secret",
      ],
      configMaps: ["env-map", "from-map", "volume-map", "projected-map"],
      claims: ["claim", "p-f"],
    });
  });

  it("finds nothing in a plain pod", () => {
    expect(of({})).toEqual({ secrets: [], configMaps: [], claims: [] });
  });
});
