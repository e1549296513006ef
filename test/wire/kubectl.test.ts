// What people type, with every kubectl minor that can be had, against one server.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { minors } from "../../scripts/fetch-kubectl.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

const webDeployment = (image: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: ${image}
        ports: [{containerPort: 80}]
`;

const pod = (name: string, node = ""): string => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}, tier: test}}
spec:
  ${node === "" ? "" : `nodeName: ${node}`}
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: "busybox:1.36"}]
`;

describe.each([...minors])("kubectl 1.%s", (minor) => {
  let kubectl: Kubectl;
  const ns = `minor-${minor}`;
  const inNs = (...args: string[]): string[] => ["-n", ns, ...args];

  beforeAll(async () => {
    kubectl = kubectlFor(minor, server.kubeconfig);
    await kubectl.ok(["create", "namespace", ns]);
  });

  it("tells versions, cluster and resources", async () => {
    const version = await kubectl.json(["version"]);
    expect(version.serverVersion.minor).toBe("36");
    expect(version.clientVersion.minor).toBe(minor);
    expect(await kubectl.ok(["cluster-info"])).toContain(server.url);
    const names = await kubectl.ok(["api-resources", "-o", "name"]);
    expect(names.split("\n")).toEqual(
      expect.arrayContaining([
        "pods",
        "deployments.apps",
        "flowschemas.flowcontrol.apiserver.k8s.io",
      ]),
    );
    const wide = await kubectl.ok(["api-resources"]);
    expect(wide).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(await kubectl.ok(["api-versions"])).toContain("batch/v1\n");
    expect(await kubectl.ok(["get", "--raw", "/readyz"])).toBe("ok");
  });

  it("explains", async () => {
    const text = await kubectl.ok(["explain", "deployment.spec.template.spec.containers"]);
    expect(text).toMatch(/imagePullPolicy\t/);
    expect(await kubectl.ok(["explain", "cronjob", "--recursive"])).toMatch(/schedule\t/);
  });

  it("creates imperatively", async () => {
    await kubectl.ok(inNs("create", "configmap", "settings", "--from-literal=a=1"));
    await kubectl.ok(inNs("create", "secret", "generic", "token", "--from-literal=key=value"));
    await kubectl.ok(inNs("create", "deployment", "nginx", "--image=nginx:1.27", "--replicas=3"));
    await kubectl.ok(inNs("create", "job", "once", "--image=busybox", "--", "true"));
    await kubectl.ok(
      inNs("create", "cronjob", "nightly", "--image=busybox", "--schedule=0 3 * * *", "--", "true"),
    );
    await kubectl.ok(inNs("create", "serviceaccount", "robot"));
    await kubectl.ok(inNs("create", "role", "reader", "--verb=get", "--resource=pods"));
    await kubectl.ok(
      inNs("create", "rolebinding", "reads", "--role=reader", `--serviceaccount=${ns}:robot`),
    );
    await kubectl.ok(inNs("create", "quota", "limits", "--hard=pods=10"));
    await kubectl.ok(
      inNs("create", "poddisruptionbudget", "pdb", "--selector=app=x", "--min-available=1"),
    );
    await kubectl.ok(inNs("create", "ingress", "site", "--rule=a.example/*=web:80"));
    await kubectl.ok(inNs("run", "shell", "--image=busybox"));
    await kubectl.ok(inNs("expose", "deployment", "nginx", "--port=80"));
    await kubectl.ok(inNs("autoscale", "deployment", "nginx", "--min=1", "--max=5"));
    const deployment = await kubectl.json(inNs("get", "deployment", "nginx"));
    expect(deployment.spec.replicas).toBe(3);
    expect(deployment.spec.strategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
    });
    expect(deployment.spec.template.spec.containers[0].imagePullPolicy).toBe("IfNotPresent");
    const secret = await kubectl.json(inNs("get", "secret", "token"));
    expect(secret.data).toEqual({ key: "dmFsdWU=" });
    const service = await kubectl.json(inNs("get", "service", "nginx"));
    expect(service.spec.clusterIP).toMatch(/^10\.96\./);
    expect(service.spec.selector).toEqual({ app: "nginx" });
    const token = await kubectl.ok(inNs("create", "token", "robot"));
    expect(token.split(".").length).toBe(3);
    const all = await kubectl.ok(inNs("get", "all"));
    expect(all).toMatch(/deployment\.apps\/nginx +0\/3 +0 +0 /);
    expect(all).toMatch(/service\/nginx +ClusterIP +10\.96\./);
  });

  it("applies, diffs and applies again without change", async () => {
    const first = await kubectl.ok(inNs("apply", "-f", "-"), webDeployment("nginx:1.26"));
    expect(first).toBe("deployment.apps/web created\n");
    const before = await kubectl.json(inNs("get", "deploy", "web"));
    expect(await kubectl.ok(inNs("apply", "-f", "-"), webDeployment("nginx:1.26"))).toBe(
      "deployment.apps/web unchanged\n",
    );
    const after = await kubectl.json(inNs("get", "deploy", "web"));
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const diff = await kubectl.run(inNs("diff", "-f", "-"), webDeployment("nginx:1.27"));
    expect(diff.code).toBe(1);
    expect(diff.stdout).toMatch(/^-.*image: nginx:1\.26$/m);
    expect(diff.stdout).toMatch(/^\+.*image: nginx:1\.27$/m);
    expect(await kubectl.ok(inNs("apply", "-f", "-"), webDeployment("nginx:1.27"))).toBe(
      "deployment.apps/web configured\n",
    );
    const changed = await kubectl.json(inNs("get", "deploy", "web"));
    expect(changed.metadata.generation).toBe(2);
    expect(changed.spec.template.spec.containers[0].image).toBe("nginx:1.27");
  });

  it("refuses unknown fields in the server's words", async () => {
    const wrong = webDeployment("nginx").replace("replicas: 2", "replica: 2");
    const words = await kubectl.fails(inNs("create", "-f", "-"), wrong);
    expect(words).toContain('strict decoding error: unknown field "spec.replica"');
  });

  it("labels, annotates, patches, scales, sets and replaces", async () => {
    await kubectl.ok(inNs("label", "deploy", "web", "team=blue"));
    await kubectl.ok(inNs("annotate", "deploy", "web", "note=hi"));
    await kubectl.ok(inNs("patch", "deploy", "web", "-p", '{"spec":{"revisionHistoryLimit":3}}'));
    await kubectl.ok(
      inNs(
        "patch",
        "deploy",
        "web",
        "--type=json",
        "-p",
        '[{"op":"add","path":"/metadata/labels/x","value":"y"}]',
      ),
    );
    await kubectl.ok(
      inNs("patch", "deploy", "web", "--type=merge", "-p", '{"metadata":{"labels":{"team":null}}}'),
    );
    await kubectl.ok(inNs("scale", "deploy", "web", "--replicas=5"));
    await kubectl.ok(inNs("set", "image", "deploy/web", "web=nginx:1.28"));
    const web = await kubectl.json(inNs("get", "deploy", "web"));
    expect(web.metadata.labels).toEqual({ app: "web", x: "y" });
    expect(web.metadata.annotations.note).toBe("hi");
    expect(web.spec.revisionHistoryLimit).toBe(3);
    expect(web.spec.replicas).toBe(5);
    expect(web.spec.template.spec.containers).toHaveLength(1);
    expect(web.spec.template.spec.containers[0].image).toBe("nginx:1.28");
    web.spec.replicas = 1;
    await kubectl.ok(inNs("replace", "-f", "-"), JSON.stringify(web));
    const stale = await kubectl.fails(inNs("replace", "-f", "-"), JSON.stringify(web));
    expect(stale).toContain(
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  it("selects by labels and fields, in pages, wide and as YAML", async () => {
    for (const name of ["p1", "p2", "p3"])
      await kubectl.ok(inNs("create", "-f", "-"), pod(name, name === "p3" ? "" : "node-1"));
    const names = async (...args: string[]): Promise<string> =>
      kubectl.ok(inNs("get", "pods", "-o", "name", ...args));
    expect(await names("-l", "tier=test,app!=p2")).toBe("pod/p1\npod/p3\n");
    expect(await names("-l", "app in (p2,p3)")).toBe("pod/p2\npod/p3\n");
    expect(await names("-l", "tier", "--field-selector", "spec.nodeName=node-1")).toBe(
      "pod/p1\npod/p2\n",
    );
    expect(await names("--field-selector", "metadata.name=p2")).toBe("pod/p2\n");
    expect(await names("-l", "tier", "--chunk-size=1")).toBe("pod/p1\npod/p2\npod/p3\n");
    const wide = await kubectl.ok(inNs("get", "pods", "p1", "-o", "wide"));
    expect(wide.split("\n")[0]).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES$/,
    );
    expect(wide.split("\n")[1]).toMatch(
      /^p1 +0\/1 +Pending +0 +\d+s +<none> +node-1 +<none> +<none>$/,
    );
    expect(await kubectl.ok(inNs("get", "pod", "p1", "-o", "yaml"))).toContain(
      "nodeName: node-1\n",
    );
    expect(
      await kubectl.ok(
        inNs(
          "get",
          "pods",
          "-l",
          "tier",
          "--sort-by=.metadata.name",
          "-o",
          "jsonpath={.items[*].metadata.name}",
        ),
      ),
    ).toBe("p1 p2 p3");
    expect(await kubectl.fails(inNs("get", "pods", "--field-selector", "spec.x=1"))).toContain(
      "field label not supported: spec.x",
    );
    expect(await kubectl.fails(inNs("get", "pod", "nope"))).toContain(
      'Error from server (NotFound): pods "nope" not found',
    );
  });

  it("watches", async () => {
    const watch = kubectl.start(inNs("get", "configmaps", "-w", "-o", "name", "--watch-only"));
    const lines: string[] = [];
    if (watch.stdout === null) throw new Error("stdout is not piped");
    const reader = createInterface({ input: watch.stdout });
    const seen = new Promise<void>((resolve) => {
      reader.on("line", (line) => {
        lines.push(line);
        if (line === "configmap/last") resolve();
      });
    });
    // The watch is on when its first event comes: keep touching one object until it does.
    await kubectl.ok(inNs("create", "configmap", "first"));
    for (let index = 0; lines.length === 0; index++)
      await kubectl.ok(inNs("annotate", "--overwrite", "configmap", "first", `n=${index}`));
    await kubectl.ok(inNs("create", "configmap", "last"));
    await seen;
    watch.kill();
    await once(watch, "exit");
    expect(lines.at(-1)).toBe("configmap/last");
  });

  it("waits for conditions and deletions, deletes all", async () => {
    await kubectl.ok(inNs("delete", "pod", "p1"));
    expect(
      await kubectl.ok(inNs("delete", "pods", "--all", "--grace-period=0", "--force")),
    ).toContain('pod "p2" force deleted');
    await kubectl.ok(inNs("wait", "--for=delete", "pod/p3", "--timeout=10s"));
    expect(await kubectl.ok(inNs("get", "pods"))).toBe("");
    await kubectl.ok(inNs("delete", "deploy,svc,cm,secret,job,cronjob,hpa", "--all"));
    expect(await kubectl.ok(inNs("get", "deploy", "-o", "name"))).toBe("");
  });

  it("describes", async () => {
    await kubectl.ok(inNs("create", "configmap", "described", "--from-literal=k=v"));
    expect(await kubectl.ok(inNs("describe", "configmap", "described"))).toMatch(/^k:\n----\nv$/m);
    expect(await kubectl.ok(["describe", "ns", ns])).toContain("Status:       Active");
  });

  it("asks who may do what", async () => {
    expect(await kubectl.ok(["auth", "can-i", "create", "pods"])).toBe("yes\n");
    const robot = `--as=system:serviceaccount:${ns}:robot`;
    expect(await kubectl.ok(inNs("auth", "can-i", "get", "pods", robot))).toBe("yes\n");
    expect((await kubectl.run(inNs("auth", "can-i", "delete", "pods", robot))).stdout).toBe("no\n");
    expect(await kubectl.ok(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"])).toBe(
      "kubernetes-admin",
    );
    expect(await kubectl.fails(inNs("delete", "pod", "x", robot))).toContain(
      `pods "x" is forbidden: User "system:serviceaccount:${ns}:robot" cannot delete resource "pods" in API group "" in the namespace "${ns}"`,
    );
  });
});
