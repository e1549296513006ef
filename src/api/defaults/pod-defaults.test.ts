import { describe, expect, test } from "vitest";
import { defaultImagePullPolicy } from "./image-pull-policy.ts";
import { podQosClass } from "./qos-class.ts";
import { defaulted, containerDefaults, podSpecDefaults } from "./defaults.testbed.ts";

describe("image pull policy", () => {
  test.each([
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["nginx:1.27", "IfNotPresent"],
    ["localhost:5000/nginx", "Always"],
    ["localhost:5000/nginx:1", "IfNotPresent"],
    [`nginx@sha256:${"0".repeat(64)}`, "IfNotPresent"],
    [`nginx:latest@sha256:${"0".repeat(64)}`, "Always"],
    ["Registry.example:5000/team/web_2", "Always"],
    ["[2001:db8::1]:5000/web", "Always"],
    ["nginx:latest@sha256:0123", "IfNotPresent"],
    ["Bad Value!", "IfNotPresent"],
    ["x".repeat(300), "IfNotPresent"],
    ["", "IfNotPresent"],
  ])("%s", (image, policy) => {
    expect(defaultImagePullPolicy(image)).toBe(policy);
  });
});

describe("pods", () => {
  test("a minimal pod", () => {
    expect(
      defaulted("core.v1.Pod", { spec: { containers: [{ name: "c", image: "i" }] } })["spec"],
    ).toEqual({
      containers: [{ name: "c", image: "i", ...containerDefaults }],
      ...podSpecDefaults,
      enableServiceLinks: true,
    });
  });
  test("a negative grace period is one second, of pods only", () => {
    const spec = { containers: [], terminationGracePeriodSeconds: -1 };
    expect(defaulted("core.v1.Pod", { spec })["spec"]).toMatchObject({
      terminationGracePeriodSeconds: 1,
    });
    expect(defaulted("core.v1.PodTemplate", { template: { spec } })["template"]).toMatchObject({
      spec: { terminationGracePeriodSeconds: -1 },
    });
  });
  test("what is set stays", () => {
    const spec = {
      containers: [{ name: "c", image: "i", ...containerDefaults, imagePullPolicy: "Never" }],
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      dnsPolicy: "Default",
      securityContext: { runAsUser: 1 },
      schedulerName: "mine",
      enableServiceLinks: false,
    };
    expect(defaulted("core.v1.Pod", { spec })["spec"]).toEqual(spec);
  });
  test("containers in full", () => {
    const probe = { httpGet: { port: 80 } };
    const spec = {
      hostNetwork: true,
      initContainers: [{ name: "i", image: "i:1", resources: { limits: { cpu: "1" } } }],
      containers: [
        {
          name: "c",
          image: "i:1",
          ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP", hostPort: 82 }],
          env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m" } },
          livenessProbe: probe,
          readinessProbe: { grpc: { port: 1 }, timeoutSeconds: 5 },
          startupProbe: { tcpSocket: { port: 1 } },
          lifecycle: { preStop: { httpGet: { port: 1, path: "/stop", scheme: "HTTPS" } } },
        },
      ],
    };
    const times = {
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    };
    const rest = { ...containerDefaults, imagePullPolicy: "IfNotPresent" };
    expect(defaulted("core.v1.Pod", { spec })["spec"]).toMatchObject({
      initContainers: [{ ...rest, resources: { limits: { cpu: "1" }, requests: { cpu: "1" } } }],
      containers: [
        {
          ports: [
            { containerPort: 80, protocol: "TCP", hostPort: 80 },
            { containerPort: 81, protocol: "UDP", hostPort: 82 },
          ],
          env: [{ valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
          resources: { requests: { cpu: "100m", memory: "1Gi" } },
          livenessProbe: { httpGet: { port: 80, path: "/", scheme: "HTTP" }, ...times },
          readinessProbe: { grpc: { port: 1, service: "" }, ...times, timeoutSeconds: 5 },
          startupProbe: { tcpSocket: { port: 1 }, ...times },
          lifecycle: { preStop: { httpGet: { port: 1, path: "/stop", scheme: "HTTPS" } } },
        },
      ],
    });
  });
  test("volumes", () => {
    const volumes = [
      { name: "none" },
      { name: "secret", secret: { secretName: "s" } },
      { name: "map", configMap: { name: "m", defaultMode: 0 } },
      { name: "host", hostPath: { path: "/" } },
      { name: "down", downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "f" } }] } },
      { name: "all", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      { name: "eph", ephemeral: { volumeClaimTemplate: { metadata: {}, spec: {} } } },
      { name: "disk", azureDisk: { diskName: "d", diskURI: "u" } },
      { name: "image", image: { reference: "i:1" } },
    ];
    expect(defaulted("core.v1.Pod", { spec: { volumes } })["spec"]).toMatchObject({
      volumes: [
        { name: "none", emptyDir: {} },
        { secret: { secretName: "s", defaultMode: 420 } },
        { configMap: { name: "m", defaultMode: 0 } },
        { hostPath: { path: "/", type: "" } },
        { downwardAPI: { defaultMode: 420, items: [{ fieldRef: { apiVersion: "v1" } }] } },
        {
          projected: {
            defaultMode: 420,
            sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }],
          },
        },
        { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: "Filesystem" } } } },
        {
          azureDisk: { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" },
        },
        { image: { reference: "i:1", pullPolicy: "IfNotPresent" } },
      ],
    });
  });
});

describe("quality of service", () => {
  const of = (...resources: object[]) =>
    podQosClass({ containers: resources.map((part, i) => ({ name: `c${i}`, resources: part })) });
  const fixed = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } };
  test.each([
    [of({}), "BestEffort"],
    [of({ requests: { "ephemeral-storage": "1Gi" } }), "BestEffort"],
    [of({ requests: { cpu: "0" } }), "BestEffort"],
    [of({ requests: { cpu: "1" } }), "Burstable"],
    [of(fixed, {}), "Burstable"],
    [of(fixed), "Guaranteed"],
    [of({ limits: fixed.limits }), "Guaranteed"],
    [of({ ...fixed, requests: { cpu: "500m", memory: "1Gi" } }), "Burstable"],
    [podQosClass({ resources: fixed, containers: [{ name: "c" }] }), "Guaranteed"],
  ])("%s is %s", (got, want) => {
    expect(got).toBe(want);
  });
});

describe("resources of a pod as a whole", () => {
  const asking = (name: string, requests: object, limits: object = {}): object => ({
    name,
    image: "i",
    resources: { requests, limits },
  });
  const containers = [asking("a", { cpu: "500m" }), asking("b", { cpu: "700m" })];
  test.each<[string, object, object | undefined]>([
    ["says nothing", { containers }, undefined],
    [
      "requests follow the containers, then the limits",
      { containers, resources: { limits: { cpu: "2", memory: "1Gi" } } },
      { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1200m", memory: "1Gi" } },
    ],
    [
      "an init container takes its turn",
      {
        initContainers: [asking("i", { cpu: "3" })],
        containers,
        resources: { limits: { cpu: "4" } },
      },
      { limits: { cpu: "4" }, requests: { cpu: "3" } },
    ],
    [
      "limits follow the containers when each has one",
      {
        containers: [asking("a", {}, { cpu: "1" }), asking("b", {}, { cpu: "1", memory: "1Gi" })],
        resources: { requests: { cpu: "1" } },
      },
      { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } },
    ],
  ])("%s", (_, spec, want) => {
    const pod = defaulted("core.v1.Pod", { spec });
    expect((pod["spec"] as { resources?: object }).resources).toEqual(want);
  });
});
