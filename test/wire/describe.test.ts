// `kubectl describe` of each kind that a cluster makes by itself or from what people apply, as it reads on a real one.
// kubectl-walk.test.ts describes what its stories leave behind.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;

const app = (name: string, more = ""): string => `
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: c, image: busybox${more}}]}`;

const objects = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2${app("db", ", volumeMounts: [{name: data, mountPath: /data}]")}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:${app("agent")}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 1
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: c, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: crashing}
spec:
  initContainers: [{name: first, image: busybox}]
  containers: [{name: c, image: busybox, command: ["false"], resources: {requests: {cpu: 100m}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {containers: [{name: c, image: busybox, resources: {requests: {cpu: 100}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: unpullable, annotations: {wavetank.dev/pull-error: "no such image"}}
spec: {containers: [{name: c, image: nosuch}]}
---
apiVersion: v1
kind: Secret
metadata: {name: token, annotations: {kubernetes.io/service-account.name: default}}
type: kubernetes.io/service-account-token
---
apiVersion: v1
kind: Service
metadata: {name: agent}
spec: {selector: {app: agent}, ports: [{port: 80}]}
`;

beforeAll(async () => {
  server = await startServer({ nodes: 2 });
  kubectl = kubectlFor("36", server.kubeconfig);
  await kubectl.ok(["wait", "--for=condition=Ready", "node", "--all", "--timeout=60s"]);
  await kubectl.ok(["apply", "-f", "-"], objects);
  await kubectl.ok(["rollout", "status", "statefulset/db", "--timeout=60s"]);
  await kubectl.ok(["rollout", "status", "daemonset/agent", "--timeout=60s"]);
  const waiting = "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}";
  await kubectl.ok(["wait", `${waiting}=CrashLoopBackOff`, "pod/crashing", "--timeout=60s"]);
  await kubectl.ok(["wait", `${waiting}=ImagePullBackOff`, "pod/unpullable", "--timeout=60s"]);
  // Nodes are looked over every 5 s.
  const registered = [
    "events",
    "--field-selector=reason=RegisteredNode,involvedObject.name=node-1",
  ];
  await kubectl.ok(["wait", "--for=create", ...registered, "--timeout=30s"]);
}, 90_000);

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

/** An event, however old and however often. */
const event = (type: string, reason: string, from: string, message: string): RegExp =>
  new RegExp(`^ +${type} +${reason} +\\S.* +${from} +${message}$`, "m");

const time = "\\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d \\+0000";

it.each<[string, string[], RegExp[]]>([
  [
    "a node",
    ["node", "node-1"],
    [
      /^Roles: +<none>$/m,
      /^ +kubernetes\.io\/hostname=node-1$/m,
      new RegExp(
        `^Lease:\n  HolderIdentity:  node-1\n  AcquireTime: +<unset>\n  RenewTime: +${time}$`,
        "m",
      ),
      new RegExp(
        `^  MemoryPressure +False +${time} +${time} +KubeletHasSufficientMemory +kubelet has`,
        "m",
      ),
      new RegExp(
        `^  Ready +True +${time} +${time} +KubeletReady +kubelet is posting ready status$`,
        "m",
      ),
      /^Capacity:\n {2}cpu: +8\n {2}ephemeral-storage: +100Gi\n(?: {2}hugepages.*\n)+ {2}memory: +32Gi\n {2}pods: +110$/m,
      /^PodCIDR: +10\.128\.\d\.0\/24$/m,
      /^ {2}default +agent-\S+ +0 \(0%\) +0 \(0%\) +0 \(0%\) +0 \(0%\) +\d+s$/m,
      event(
        "Normal",
        "RegisteredNode",
        "node-controller",
        "Node node-1 event: Registered Node node-1 in Controller",
      ),
    ],
  ],
  [
    "a StatefulSet",
    ["statefulset", "db"],
    [
      /^Replicas: +2 desired \| 2 total$/m,
      /^Update Strategy: +RollingUpdate\n {2}Partition: +0$/m,
      /^Pods Status: +2 Running \/ 0 Waiting \/ 0 Succeeded \/ 0 Failed$/m,
      /^Volume Claims:\n {2}Name: +data\n/m,
      event(
        "Normal",
        "SuccessfulCreate",
        "statefulset-controller",
        "Create Claim data-db-0 Pod db-0 in StatefulSet db success",
      ),
      event(
        "Normal",
        "SuccessfulCreate",
        "statefulset-controller",
        "Create Pod db-1 in StatefulSet db successful",
      ),
    ],
  ],
  [
    "its revision",
    ["controllerrevision", "-l", "app=db"],
    [
      /^Labels: +app=db\n +controller\.kubernetes\.io\/hash=\w+$/m,
      /^Revision: +1$/m,
      /^ {4}Kind: +StatefulSet$/m,
    ],
  ],
  [
    "a DaemonSet",
    ["daemonset", "agent"],
    [
      /^Annotations: +deprecated\.daemonset\.template\.generation: 1$/m,
      /^Desired Number of Nodes Scheduled: 2\nCurrent Number of Nodes Scheduled: 2\nNumber of Nodes Scheduled with Up-to-date Pods: 2\nNumber of Nodes Scheduled with Available Pods: 2\nNumber of Nodes Misscheduled: 0$/m,
      event("Normal", "SuccessfulCreate", "daemonset-controller", "Created pod: agent-\\w{5}"),
    ],
  ],
  [
    "a ReplicationController",
    ["rc", "old"],
    [
      /^Replicas: +1 current \/ 1 desired$/m,
      event("Normal", "SuccessfulCreate", "replication-controller", "Created pod: old-\\w{5}"),
    ],
  ],
  [
    "a pod whose container ends at once",
    ["pod", "crashing"],
    [
      /^Status: +Running$/m,
      /^ {4}State: +Waiting\n {6}Reason: +CrashLoopBackOff\n {4}Last State: +Terminated\n {6}Reason: +Error\n {6}Exit Code: +1$/m,
      /^ {4}Ready: +False\n {4}Restart Count: +[12]\n {4}Requests:\n {6}cpu: +100m$/m,
      /^ {2}first:\n(?: {4}.*\n)+? {4}State: +Terminated\n {6}Reason: +Completed$/m,
      /^QoS Class: +Burstable$/m,
      /^Tolerations: +node\.kubernetes\.io\/not-ready:NoExecute op=Exists for 300s$/m,
      event("Normal", "Created", "kubelet", "spec.containers{c}: Container created"),
      event(
        "Warning",
        "BackOff",
        "kubelet",
        "spec.containers{c}: Back-off restarting failed container c in pod crashing_default\\(\\S+\\)",
      ),
    ],
  ],
  [
    "a pod that fits nowhere",
    ["pod", "large"],
    [
      /^Node: +<none>$/m,
      /^Conditions:\n {2}Type +Status\n {2}PodScheduled +False *$/m,
      event(
        "Warning",
        "FailedScheduling",
        "default-scheduler",
        "0/2 nodes are available: 2 Insufficient cpu\\. .*",
      ),
    ],
  ],
  [
    "a pod whose image cannot be had",
    ["pod", "unpullable"],
    [
      /^ {4}State: +Waiting\n {6}Reason: +ImagePullBackOff$/m,
      event("Warning", "Failed", "kubelet", "spec.containers{c}: Error: ErrImagePull"),
      event("Normal", "BackOff", "kubelet", 'spec.containers{c}: Back-off pulling image "nosuch"'),
    ],
  ],
  [
    "a claim",
    ["pvc", "data-db-0"],
    [
      /^StorageClass: +standard\nStatus: +Bound\nVolume: +pvc-\S+$/m,
      /^Finalizers: +\[kubernetes\.io\/pvc-protection\]$/m,
      /^Used By: +db-0$/m,
      event(
        "Normal",
        "WaitForFirstConsumer",
        "persistentvolume-controller",
        "waiting for first consumer to be created before binding",
      ),
      event(
        "Normal",
        "ProvisioningSucceeded",
        "disks.wavetank.dev",
        "Successfully provisioned volume pvc-\\S+",
      ),
    ],
  ],
  [
    "a volume",
    ["pv"],
    [/^Status: +Bound\nClaim: +default\/data-db-[01]\nReclaim Policy: +Delete$/m],
  ],
  [
    "a storage class",
    ["sc", "standard"],
    [/^IsDefaultClass: +Yes$/m, /^VolumeBindingMode: +WaitForFirstConsumer$/m],
  ],
  ["endpoints", ["endpoints", "agent"], [/^ {2}Addresses: +10\.\S+,10\.\S+$/m]],
  [
    "the server's own Service",
    ["service", "kubernetes"],
    [/^IP: +10\.96\.0\.1$/m, /^Port: +https {2}443\/TCP$/m],
  ],
  [
    "a node's Lease",
    ["lease", "node-1", "-n", "kube-node-lease"],
    [/^ {4}Kind: +Node\n {4}Name: +node-1$/m, /^ {2}Lease Duration Seconds: +40$/m],
  ],
  [
    "the cluster's certificate",
    ["configmap", "kube-root-ca.crt"],
    [/^ca\.crt:\n----\n-----BEGIN CERTIFICATE-----$/m],
  ],
  [
    "a token",
    ["secret", "token"],
    [/^Type: +kubernetes\.io\/service-account-token$/m, /^namespace: +7 bytes\ntoken: +eyJ/m],
  ],
  ["a priority class", ["priorityclass", "system-node-critical"], [/^Value: +2000001000$/m]],
  [
    "bindings of roles",
    ["clusterrolebinding", "cluster-admin"],
    [/^ {2}Kind: +ClusterRole\n {2}Name: +cluster-admin$/m, /^ {2}Group +system:masters *$/m],
  ],
  [
    "an address",
    ["ipaddress", "10.96.0.1"],
    [/^Parent Reference:\n {2}Group: +\n {2}Resource: +services\n/m],
  ],
  [
    "the range of addresses",
    ["servicecidr", "kubernetes"],
    [/^ {2}Ready +True +.*Kubernetes default Service CIDR is ready$/m],
  ],
  [
    "an APIService",
    ["apiservice", "v1.apps"],
    [/^ {4}Message: +Local APIServices are always available$/m],
  ],
  ["a flow schema", ["flowschema", "exempt"], [/^ {4}Type: +Dangling$/m]],
])("%s", async (_what, args, lines) => {
  const described = await kubectl.ok(["describe", ...args]);
  for (const line of lines) expect(described).toMatch(line);
});

describe("what happened", () => {
  it("is told by kubectl events, of one object or by type", async () => {
    expect(await kubectl.ok(["events", "--for", "pod/crashing", "--types=Warning"])).toMatch(
      /Warning +BackOff +Pod\/crashing +Back-off restarting failed container c in pod crashing_default/,
    );
    const normal = await kubectl.ok(["events", "--for", "daemonset/agent"]);
    expect(normal).toMatch(/Normal +SuccessfulCreate +DaemonSet\/agent +Created pod: agent-/);
  });
});
