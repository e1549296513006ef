// The manifests of the three outages that started the project go in as they are.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;

beforeAll(async () => {
  server = await startServer();
  kubectl = kubectlFor("36", server.kubeconfig);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

it("takes the runaway Job pinned to a dead node", async () => {
  const manifest = `
apiVersion: batch/v1
kind: Job
metadata: {name: error-ret}
spec:
  template:
    spec:
      nodeName: node7
      restartPolicy: Never
      containers:
      - name: error-ret
        image: alpine
        command: ["/bin/sh", "-c", "exit 1"]
`;
  await kubectl.ok(["create", "-f", "-"], manifest);
  const job = await kubectl.json(["get", "job", "error-ret"]);
  expect(job.spec.backoffLimit).toBe(6);
  expect(job.spec.selector.matchLabels["batch.kubernetes.io/controller-uid"]).toBe(
    job.metadata.uid,
  );
  expect(job.spec.template.metadata.labels["batch.kubernetes.io/job-name"]).toBe("error-ret");
  expect(await kubectl.ok(["get", "jobs"])).toMatch(/^error-ret +Running +0\/1 +\d+s$/m);
});

it("takes immutable Secrets and ConfigMaps, and keeps them so", async () => {
  const manifest = (value: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: sealed}
immutable: true
stringData: {key: ${value}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: sealed}
immutable: true
data: {key: ${value}}
`;
  await kubectl.ok(["apply", "-f", "-"], manifest("one"));
  const words = await kubectl.fails(["apply", "-f", "-"], manifest("two"));
  expect(words.match(/field is immutable when `immutable` is set/g)).toHaveLength(2);
});

it("takes the guard of the list storm", async () => {
  const manifest = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: limit-list-custom}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    limitResponse:
      type: Queue
      queuing: {queues: 16, handSize: 4, queueLengthLimit: 50}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: limit-list-custom}
spec:
  priorityLevelConfiguration: {name: limit-list-custom}
  distinguisherMethod: {type: ByUser}
  rules:
  - resourceRules:
    - apiGroups: [""]
      clusterScope: true
      namespaces: ["*"]
      resources: [pods]
      verbs: [list, get]
    subjects:
    - kind: ServiceAccount
      serviceAccount: {name: vector, namespace: logging}
`;
  await kubectl.ok(["apply", "-f", "-"], manifest);
  expect(await kubectl.ok(["get", "prioritylevelconfiguration", "limit-list-custom"])).toMatch(
    /^limit-list-custom +Limited +5 +16 +4 +50 +\d+s$/m,
  );
  const schema = await kubectl.json(["get", "flowschema", "limit-list-custom"]);
  expect(schema.spec.matchingPrecedence).toBe(1000);
});

it("takes the log collector's DaemonSet", async () => {
  const manifest = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: vector, namespace: default}
spec:
  selector: {matchLabels: {app: vector}}
  template:
    metadata: {labels: {app: vector}}
    spec:
      serviceAccountName: vector
      containers:
      - name: vector
        image: timberio/vector:0.28
        env:
        - name: VECTOR_SELF_NODE_NAME
          valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
`;
  await kubectl.ok(["apply", "-f", "-"], manifest);
  const daemonSet = await kubectl.json(["get", "daemonset", "vector"]);
  expect(daemonSet.spec.updateStrategy).toEqual({
    type: "RollingUpdate",
    rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
  });
  expect(daemonSet.spec.template.spec.containers[0].env[0].valueFrom.fieldRef.apiVersion).toBe(
    "v1",
  );
});
