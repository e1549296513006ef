// What people do with kubectl by hand, one after the other, against a whole cluster; what cluster.test.ts and
// streams.test.ts see is left to them.
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;

beforeAll(async () => {
  server = await startServer({ nodes: 3 });
  kubectl = kubectlFor("36", server.kubeconfig);
  await kubectl.ok(["wait", "--for=condition=Ready", "node", "--all", "--timeout=60s"]);
  // Its minute comes while the other stories are told.
  const minutely = ["create", "cronjob", "minutely", "--image=busybox", "--schedule=* * * * *"];
  await kubectl.ok([...minutely, "--", "true"]);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

const rolledOut = (): Promise<string> =>
  kubectl.ok(["rollout", "status", "deployment/shop", "--timeout=60s"]);

describe("a Deployment", () => {
  it("is made, restarted and stopped half-way", async () => {
    const made = ["create", "deployment", "shop", "--image=nginx:1", "--replicas=2", "--port=80"];
    expect(await kubectl.ok(made)).toBe("deployment.apps/shop created\n");
    await kubectl.ok(["set", "resources", "deployment/shop", "--requests=cpu=100m,memory=64Mi"]);
    expect(await rolledOut()).toContain('deployment "shop" successfully rolled out');
    expect(await kubectl.ok(["rollout", "restart", "deployment/shop"])).toBe(
      "deployment.apps/shop restarted\n",
    );
    expect(await rolledOut()).toContain('deployment "shop" successfully rolled out');
    await kubectl.ok(["rollout", "pause", "deployment/shop"]);
    await kubectl.ok(["set", "image", "deployment/shop", "nginx=nginx:2"]);
    expect(await kubectl.fails(["rollout", "undo", "deployment/shop"])).toContain(
      "cannot rollback a paused deployment",
    );
    await kubectl.ok(["rollout", "resume", "deployment/shop"]);
    await rolledOut();
  });

  it("is exposed, and its Service leads to a pod's port", async () => {
    expect(
      await kubectl.ok(["expose", "deployment", "shop", "--port=8080", "--target-port=80"]),
    ).toBe("service/shop exposed\n");
    const forwarding = kubectl.start(["port-forward", "service/shop", ":8080"]);
    const [chunk] = (await once(forwarding.stdout!, "data")) as [Buffer];
    const port = /127\.0\.0\.1:(\d+) -> 80/.exec(chunk.toString())?.[1];
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toMatch(/^pod: shop-/);
    const gone = once(forwarding, "exit");
    forwarding.kill();
    await gone;
  });

  it("grows when it uses more than it should", async () => {
    const args = ["autoscale", "deployment", "shop", "--min=2", "--max=4", "--cpu=80%"];
    expect(await kubectl.ok(args)).toBe("horizontalpodautoscaler.autoscaling/shop autoscaled\n");
    await kubectl.ok(["annotate", "pods", "-l", "app=shop", "wavetank.dev/cpu-usage=300m"]);
    await kubectl.ok([
      "wait",
      "--for=jsonpath={.spec.replicas}=4",
      "deployment/shop",
      "--timeout=60s",
    ]);
    const described = await kubectl.ok(["describe", "hpa", "shop"]);
    expect(described).toMatch(/^Max replicas: +4$/m);
    expect(described).toMatch(
      /Normal +SuccessfulRescale .* New size: 4; reason: cpu resource utilization \(percentage of request\) above target/,
    );
    expect(described).toMatch(/^ +ScalingActive +True +ValidMetricFound /m);
    expect(described).toMatch(/^ +ScalingLimited +True +TooManyReplicas /m);
    await kubectl.ok(["delete", "hpa", "shop"]);
    await kubectl.ok(["scale", "deployment", "shop", "--replicas=2"]);
    await rolledOut();
    // Those that are left may be the busy ones.
    await kubectl.ok(["annotate", "pods", "-l", "app=shop", "wavetank.dev/cpu-usage-"]);
  }, 90_000);
});

describe("top", () => {
  it("shows pods and nodes", async () => {
    // A pod that has just begun is measured at the next fifth second.
    await kubectl.ok(["wait", "--for=jsonpath={.status.readyReplicas}=2", "deployment/shop"]);
    const raw = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dshop";
    await expect
      .poll(async () => JSON.parse(await kubectl.ok(["get", "--raw", raw])).items.length, {
        timeout: 20_000,
        interval: 500,
      })
      .toBe(2);
    const pods = await kubectl.ok(["top", "pods", "--containers", "-l", "app=shop"]);
    expect(pods).toMatch(/^shop-\S+ +nginx +\d\dm +\d\dMi *$/m);
    expect(await kubectl.ok(["top", "nodes"])).toMatch(/^node-1 +\d+m +\d+% +\d+Mi +\d+% *$/m);
    const old = kubectlFor("29", server.kubeconfig);
    expect(await old.ok(["top", "node", "node-2"])).toMatch(/^node-2 +\d+m /m);
  });

  it("is for those who may view", async () => {
    const refused = await kubectl.fails(["top", "pods", "--as=eve"]);
    expect(refused).toContain('cannot list resource "pods" in API group "metrics.k8s.io"');
    await kubectl.ok(["create", "rolebinding", "eve", "--clusterrole=view", "--user=eve"]);
    await kubectl.ok(["top", "pods", "--as=eve"]);
  });
});

describe("Jobs", () => {
  it("run once, and on time", async () => {
    await kubectl.ok(["create", "job", "once", "--image=busybox", "--", "sh", "-c", "echo done"]);
    await kubectl.ok(["wait", "--for=condition=complete", "job/once", "--timeout=60s"]);
    expect(await kubectl.ok(["logs", "job/once"])).toBe("done\n");
    const nightly = ["create", "cronjob", "nightly", "--image=busybox", "--schedule=0 3 * * *"];
    await kubectl.ok([...nightly, "--", "true"]);
    await kubectl.ok(["create", "job", "tonight", "--from=cronjob/nightly"]);
    await kubectl.ok(["wait", "--for=condition=complete", "job/tonight", "--timeout=60s"]);
    const described = await kubectl.ok(["describe", "job", "once"]);
    expect(described).toMatch(/^Pods Statuses: +0 Active \(0 Ready\) \/ 1 Succeeded \/ 0 Failed$/m);
    expect(described).toMatch(/Normal +SuccessfulCreate .* Created pod: once-/);
    expect(described).toMatch(/Normal +Completed .* Job completed/);
    expect(await kubectl.ok(["describe", "cronjob", "nightly"])).toMatch(
      /^Schedule: +0 3 \* \* \*$/m,
    );
  });
});

describe("describe", () => {
  it.each([
    ["node", "node-1", [/^ {2}Ready +True .* KubeletReady/m, /^Non-terminated Pods:/m]],
    [
      "deployment",
      "shop",
      [/^Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable$/m],
    ],
    ["service", "shop", [/^TargetPort: +80\/TCP$/m, /^Endpoints: +10\.\S+:80,10\.\S+:80$/m]],
    ["namespace", "default", [/^Status: +Active$/m]],
    ["serviceaccount", "default", [/^Name: +default$/m]],
    ["clusterrole", "view", [/^ {2}pods\.metrics\.k8s\.io +\[\] +\[\] +\[get list watch\]$/m]],
  ])("%s %s", async (kind, name, lines) => {
    const described = await kubectl.ok(["describe", kind, name]);
    for (const line of lines) expect(described).toMatch(line);
  });

  it("pods, ReplicaSets and endpoints, with what happened", async () => {
    const [name = ""] = (await kubectl.ok(["get", "pods", "-l", "app=shop", "-o", "name"])).split(
      "\n",
    );
    const pod = await kubectl.ok(["describe", name]);
    expect(pod).toMatch(/^Controlled By: +ReplicaSet\/shop-/m);
    expect(pod).toMatch(/Normal +Scheduled .* Successfully assigned default\/shop-\S+ to node-/);
    expect(pod).toMatch(/Normal +Started /);
    expect(await kubectl.ok(["describe", "rs", "-l", "app=shop"])).toMatch(
      /^Controlled By: +Deployment\/shop$/m,
    );
    expect(await kubectl.ok(["describe", "endpointslice", "-l", "app=shop"])).toMatch(
      /^ +Ready: +true$/m,
    );
    expect(await kubectl.ok(["events", "--for", "deployment/shop"])).toMatch(
      /Normal +ScalingReplicaSet +Deployment\/shop +Scaled up replica set shop-/,
    );
  });
});

describe("nodes", () => {
  it("are cordoned and tainted", async () => {
    await kubectl.ok(["cordon", "node-3"]);
    expect(await kubectl.ok(["get", "node", "node-3"])).toMatch(/Ready,SchedulingDisabled/);
    await kubectl.ok(["uncordon", "node-3"]);
    await kubectl.ok(["taint", "node", "node-3", "only=batch:NoSchedule"]);
    expect(await kubectl.ok(["describe", "node", "node-3"])).toMatch(
      /^Taints: +only=batch:NoSchedule$/m,
    );
    await kubectl.ok(["taint", "node", "node-3", "only-"]);
  });

  it("lose the pods that do not tolerate a NoExecute taint, and no others", async () => {
    const tolerant = {
      spec: {
        nodeName: "node-2",
        containers: [{ name: "c", image: "busybox" }],
        tolerations: [{ key: "broken", operator: "Exists" }],
      },
    };
    const ordinary = { spec: { ...tolerant.spec, tolerations: [] } };
    for (const [name, { spec }] of Object.entries({ tolerant, ordinary }))
      await kubectl.ok(
        ["create", "-f", "-"],
        JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec }),
      );
    const ready = ["wait", "--for=condition=Ready", "pod/tolerant", "pod/ordinary"];
    await kubectl.ok([...ready, "--timeout=30s"]);
    await kubectl.ok(["taint", "node", "node-2", "broken=yes:NoExecute"]);
    await kubectl.ok(["wait", "--for=delete", "pod/ordinary", "--timeout=30s"]);
    expect(await kubectl.ok(["get", "pod", "tolerant"])).toMatch(/^tolerant +1\/1 +Running/m);
    expect(await kubectl.ok(["events", "--for", "pod/ordinary"])).toMatch(
      /Normal +TaintManagerEviction +Pod\/ordinary +Marking for deletion Pod default\/ordinary/,
    );
    await kubectl.ok(["taint", "node", "node-2", "broken-"]);
    await kubectl.ok(["delete", "pod", "tolerant", "--now"]);
    await rolledOut();
  });

  it("are not drained while a budget of maxUnavailable 0 forbids it", async () => {
    const pods = await kubectl.json(["get", "pods", "-l", "app=shop"]);
    const node = pods.items[0].spec.nodeName as string;
    const pdb = ["create", "poddisruptionbudget", "shop", "--selector=app=shop"];
    await kubectl.ok([...pdb, "--max-unavailable=0"]);
    const healthy = "--for=jsonpath={.status.currentHealthy}=2";
    await kubectl.ok(["wait", healthy, "poddisruptionbudget/shop", "--timeout=30s"]);
    const drain = ["drain", node, "--ignore-daemonsets", "--force"];
    const blocked = await kubectl.fails([...drain, "--timeout=3s"]);
    expect(blocked).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(blocked).toMatch(/global timeout reached: 3s/);
    expect(await kubectl.ok(["describe", "pdb", "shop"])).toMatch(/^ +Allowed disruptions: +0$/m);
    await kubectl.ok(["delete", "pdb", "shop"]);
    expect(await kubectl.ok([...drain, "--timeout=60s"])).toContain(`node/${node} drained`);
    await kubectl.ok(["uncordon", node]);
    await rolledOut();
  });
});

it("a CronJob's time comes at the minute", async () => {
  const succeeded = "--for=jsonpath={.status.lastSuccessfulTime}";
  await kubectl.ok(["wait", succeeded, "cronjob/minutely", "--timeout=75s"]);
  const described = await kubectl.ok(["describe", "cronjob", "minutely"]);
  expect(described).toMatch(/^Last Schedule Time: +\w{3}, .* \d\d:\d\d:00 \+0000$/m);
  expect(described).toMatch(
    /Normal +SuccessfulCreate .* cronjob-controller +Created job minutely-\d+/,
  );
  expect(described).toMatch(/Normal +SawCompletedJob .* condition: Complete/);
}, 90_000);

it("a namespace goes with all that is in it", async () => {
  await kubectl.ok(["create", "namespace", "trial"]);
  await kubectl.ok(["-n", "trial", "run", "web", "--image=nginx"]);
  await kubectl.ok(["-n", "trial", "wait", "--for=condition=Ready", "pod/web", "--timeout=30s"]);
  await kubectl.ok(["delete", "namespace", "trial", "--timeout=60s"]);
  expect(await kubectl.ok(["get", "pods", "-A"])).not.toContain("trial");
});
