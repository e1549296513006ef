// Bodies that kubectl v1.32 really sends, in hexadecimal, with the object that each one says.
import { expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { decodeBody } from "./body.ts";
import { parseGroupVersion } from "./group-version.ts";
import { findTypeOfKind } from "./message-types.ts";
import { encodeProtobuf, unwrapEnvelope, wrapEnvelope } from "./protobuf.ts";

interface Capture {
  readonly command: string;
  readonly bytes: string;
  readonly object: KubeObject;
}

const captures: readonly Capture[] = [
  {
    command: "kubectl create deployment web --image=nginx:1.25 --replicas=3 --port=8080",
    bytes:
      "6b3873000a150a07617070732f7631120a4465706c6f796d656e7412be010a1f0a0377656212001a0022002a" +
      "003200380042005a0a0a036170701203776562128c010803120c0a0a0a0361707012037765621a720a1c0a00" +
      "12001a0022002a003200380042005a0a0a036170701203776562125212340a056e67696e78120a6e67696e78" +
      "3a312e32352a00320b0a00100018903f22002a0042006a007200800100880100900100a201001a0032004200" +
      "4a0052005800600068008201008a01009a0100c2010022020a00280038001a0c080010001800200028003800" +
      "1a002200",
    object: {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: { name: "web", labels: { app: "web" } },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [
              {
                name: "nginx",
                image: "nginx:1.25",
                ports: [{ containerPort: 8080 }],
                resources: {},
              },
            ],
          },
        },
        strategy: {},
      },
      status: {},
    },
  },
  {
    command:
      "kubectl create configmap c1 --from-literal=a=1 --from-literal=b=two --from-file=raw.bin",
    bytes:
      "6b3873000a0f0a0276311209436f6e6669674d617012360a120a02633112001a0022002a0032003800420012" +
      "060a016112013112080a0162120374776f1a0e0a077261772e62696e12030001ff1a002200",
    object: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "c1" },
      data: { a: "1", b: "two" },
      binaryData: { "raw.bin": "AAH/" },
    },
  },
  {
    command: "kubectl create cronjob cj --image=busybox --schedule='*/5 * * * *'",
    bytes:
      "6b3873000a130a0862617463682f7631120743726f6e4a6f62129e010a120a02636a12001a0022002a003200" +
      "380042001285010a0b2a2f35202a202a202a202a1a002a740a120a02636a12001a0022002a00320038004200" +
      "125e325c0a100a0012001a0022002a00320038004200124812210a02636a120762757379626f782a0042006a" +
      "007200800100880100900100a201001a094f6e4661696c757265320042004a0052005800600068008201008a" +
      "01009a0100c201001a001a002200",
    object: {
      kind: "CronJob",
      apiVersion: "batch/v1",
      metadata: { name: "cj" },
      spec: {
        schedule: "*/5 * * * *",
        jobTemplate: {
          metadata: { name: "cj" },
          spec: {
            template: {
              metadata: {},
              spec: {
                containers: [{ name: "cj", image: "busybox", resources: {} }],
                restartPolicy: "OnFailure",
              },
            },
          },
        },
      },
      status: {},
    },
  },
  {
    command: "kubectl create quota q --hard=cpu=1500m,memory=1Gi",
    bytes:
      "6b3873000a130a027631120d5265736f7572636551756f746112380a110a017112001a0022002a0032003800" +
      "420012210a0e0a0363707512070a05313530306d0a0f0a066d656d6f727912050a033147691a001a002200",
    object: {
      kind: "ResourceQuota",
      apiVersion: "v1",
      metadata: { name: "q" },
      spec: { hard: { cpu: "1500m", memory: "1Gi" } },
      status: {},
    },
  },
  {
    command: "kubectl create ingress i1 --rule=a.com/x=svc:80",
    bytes:
      "6b3873000a1f0a146e6574776f726b696e672e6b38732e696f2f76311207496e677265737312430a120a0269" +
      "3112001a0022002a0032003800420012291a270a05612e636f6d121e0a1c0a1a0a022f78120d220b0a037376" +
      "6312040a0010501a0545786163741a020a001a002200",
    object: {
      kind: "Ingress",
      apiVersion: "networking.k8s.io/v1",
      metadata: { name: "i1" },
      spec: {
        rules: [
          {
            host: "a.com",
            http: {
              paths: [
                {
                  path: "/x",
                  pathType: "Exact",
                  backend: { service: { name: "svc", port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
      status: { loadBalancer: {} },
    },
  },
  {
    command: "kubectl create pdb p1 --selector=a=b --min-available=50%",
    bytes:
      "6b3873000a200a09706f6c6963792f76311213506f6444697372757074696f6e42756467657412370a120a02" +
      "703112001a0022002a0032003800420012150a09080110001a0335302512080a060a01611201621a0a080018" +
      "002000280030001a002200",
    object: {
      kind: "PodDisruptionBudget",
      apiVersion: "policy/v1",
      metadata: { name: "p1" },
      spec: { minAvailable: "50%", selector: { matchLabels: { a: "b" } } },
      status: {
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      },
    },
  },
  {
    command: "kubectl create service clusterip s2 --tcp=80:8080",
    bytes:
      "6b3873000a0d0a02763112075365727669636512660a1d0a02733212001a0022002a003200380042005a090a" +
      "036170701202733212410a1b0a0738302d38303830120354435018502207080010903f1a00280012090a0361" +
      "7070120273321a002209436c757374657249503a00420052005a00600068001a020a001a002200",
    object: {
      kind: "Service",
      apiVersion: "v1",
      metadata: { name: "s2", labels: { app: "s2" } },
      spec: {
        ports: [{ name: "80-8080", protocol: "TCP", port: 80, targetPort: 8080 }],
        selector: { app: "s2" },
        type: "ClusterIP",
      },
      status: { loadBalancer: {} },
    },
  },
  {
    command: "kubectl create token sa1 --duration=10m",
    bytes:
      "6b3873000a280a1861757468656e7469636174696f6e2e6b38732e696f2f7631120c546f6b656e5265717565" +
      "7374121d0a100a0012001a0022002a00320038004200120320d8041a040a0012001a002200",
    object: {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {},
      spec: { audiences: null, expirationSeconds: 600 },
      status: { token: "", expirationTimestamp: null },
    },
  },
  {
    command: "kubectl create priorityclass pc --value=1000 --description=x",
    bytes:
      "6b3873000a250a147363686564756c696e672e6b38732e696f2f7631120d5072696f72697479436c61737312" +
      "320a120a02706312001a0022002a0032003800420010e80718002201782a14507265656d70744c6f77657250" +
      "72696f726974791a002200",
    object: {
      kind: "PriorityClass",
      apiVersion: "scheduling.k8s.io/v1",
      metadata: { name: "pc" },
      value: 1000,
      description: "x",
      preemptionPolicy: "PreemptLowerPriority",
    },
  },
  {
    command: "kubectl create clusterrolebinding crb --clusterrole=admin --user=u",
    bytes:
      "6b3873000a320a1c726261632e617574686f72697a6174696f6e2e6b38732e696f2f76311212436c75737465" +
      "72526f6c6542696e64696e67126e0a130a0363726212001a0022002a0032003800420012260a045573657212" +
      "19726261632e617574686f72697a6174696f6e2e6b38732e696f1a017522001a2f0a19726261632e61757468" +
      "6f72697a6174696f6e2e6b38732e696f120b436c7573746572526f6c651a0561646d696e1a002200",
    object: {
      kind: "ClusterRoleBinding",
      apiVersion: "rbac.authorization.k8s.io/v1",
      metadata: { name: "crb" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
    },
  },
];

test.each(captures.map((capture) => [capture.command, capture] as const))("%s", (_, capture) => {
  const bytes = Uint8Array.from(Buffer.from(capture.bytes, "hex"));
  const { kind, apiVersion } = unwrapEnvelope(bytes);
  const expected = { ...parseGroupVersion(apiVersion), kind };
  const { object } = decodeBody(bytes, "protobuf", { kind: expected }, "Strict");
  expect(object).toEqual(capture.object);

  // Our bytes leave zero values out, and say the same.
  const typeId = findTypeOfKind(expected)!;
  const ours = wrapEnvelope(kind, apiVersion, encodeProtobuf(typeId, object));
  expect(ours.length).toBeLessThanOrEqual(bytes.length);
  expect(decodeBody(ours, "protobuf", { kind: expected }, "Strict").object).toEqual(object);
});
