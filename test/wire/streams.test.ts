// kubectl logs, exec and attach against simulated nodes, over the real wire.
import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

const pods = `
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {wavetank.dev/log: "one\\ntwo\\nthree"}}
spec:
  containers:
  - {name: web, image: nginx, env: [{name: COLOUR, value: blue}], ports: [{containerPort: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pair}
spec:
  containers:
  - {name: a, image: busybox, command: [sh, -c, "echo from a; echo aside >&2; sleep infinity"]}
  - {name: b, image: busybox, command: [sh, -c, "echo from b; sleep infinity"]}
---
apiVersion: v1
kind: Pod
metadata: {name: short}
spec:
  restartPolicy: Never
  containers: [{name: main, image: busybox, command: [sh, -c, "echo begun; sleep 2; echo done"]}]
---
apiVersion: v1
kind: Pod
metadata: {name: stuck, annotations: {wavetank.dev/pull-error: "no such image"}}
spec: {containers: [{name: main, image: nosuch}]}
`;

const tarRefusal = `tar: /nosuch: Cannot stat: No such file or directory
tar: Exiting with failure status due to previous errors
`;

let server: Server;

beforeAll(async () => {
  server = await startServer({ nodes: 1 });
  const kubectl = kubectlFor("36", server.kubeconfig);
  await kubectl.ok(["apply", "-f", "-"], pods);
  await kubectl.ok(["wait", "--for=condition=Ready", "pod/web", "pod/pair", "--timeout=30s"]);
});

afterAll(() => server.stop());

// 1.29 speaks SPDY/3.1 for all of it, 1.30 for port-forward.
describe.each(["36", "30", "29"])("kubectl 1.%s", (minor) => {
  let kubectl: Kubectl;
  beforeAll(() => {
    kubectl = kubectlFor(minor, server.kubeconfig);
  });

  it.each([
    [["web"], "one\ntwo\nthree\n"],
    [["web", "--tail=1"], "three\n"],
    [["web", "--limit-bytes=5"], "one\nt"],
    [["pair", "-c", "b"], "from b\n"],
  ])("logs %j", async (args, wanted) => {
    expect(await kubectl.ok(["logs", ...args])).toBe(wanted);
  });

  it("logs of all containers, in whatever order kubectl asks for them", async () => {
    const lines = (await kubectl.ok(["logs", "pair", "--all-containers"])).trim().split("\n");
    expect(lines.toSorted()).toEqual(["aside", "from a", "from b"]);
  });

  it("logs --timestamps", async () => {
    expect(await kubectl.ok(["logs", "web", "--tail=1", "--timestamps"])).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z three\n$/,
    );
  });

  it.each([
    [["logs", "web", "--previous"], 'previous terminated container "web" in pod "web" not found'],
    [["logs", "stuck"], 'container "main" in pod "stuck" is waiting to start: '],
    [["exec", "stuck", "--", "true"], 'unable to upgrade connection: container not found ("main")'],
    [
      ["attach", "stuck"],
      "unable to upgrade connection: container main not found in pod stuck_default",
    ],
    [["exec", "web", "--", "nosuch"], 'exec: "nosuch": executable file not found in $PATH'],
  ])("%j is refused", async (args, words) => {
    expect(await kubectl.fails(args)).toContain(words);
  });

  it("logs -f ends when the pod is deleted", async () => {
    const name = `followed-${minor}`;
    await kubectl.ok(["run", name, "--image=nginx"]);
    await kubectl.ok(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=30s"]);
    const following = kubectl.start(["logs", "-f", name]);
    await said(following, "started");
    await kubectl.ok(["delete", "pod", name]);
    expect(await ended(following)).toBe(0);
  });

  it("exec prints, and returns exit codes", async () => {
    const script = "echo out; echo $COLOUR >&2; exit 7";
    expect(await kubectl.run(["exec", "web", "--", "sh", "-c", script])).toEqual({
      code: 7,
      stdout: "out\n",
      stderr: "blue\ncommand terminated with exit code 7\n",
    });
    expect(await kubectl.ok(["exec", "web", "--", "hostname"])).toBe("web\n");
  });

  it("exec -i hands over standard input whole", async () => {
    const input = "0123456789abcdef\n".repeat(20_000);
    expect(await kubectl.ok(["exec", "-i", "web", "--", "cat"], input)).toBe(input);
  });

  it("exec -i runs a shell", async () => {
    const done = await kubectl.run(
      ["exec", "-i", "pair", "-c", "b", "--", "sh"],
      "hostname\nexit 3\n",
    );
    expect([done.code, done.stdout]).toEqual([3, "pair\n"]);
  });

  it("port-forward reaches the pod's process", async () => {
    const forwarding = kubectl.start(["port-forward", "pod/web", ":80", ":81"]);
    const told = await said(forwarding, "-> 81\nForwarding from [::1]");
    const [open = "", closed = ""] = [80, 81].map(
      (port) => new RegExp(`127.0.0.1:(\\d+) -> ${port}`).exec(told)?.[1],
    );
    const page = await fetch(`http://127.0.0.1:${open}/`, { headers: { connection: "close" } });
    expect(await page.text()).toContain("pod: web\nnamespace: default\n");
    const words = said(forwarding, "connect: connection refused", "stderr");
    await expect(fetch(`http://127.0.0.1:${closed}/`)).rejects.toThrow("fetch failed");
    expect(await words).toContain("an error occurred forwarding");
    forwarding.kill();
    await ended(forwarding);
  });

  it("cp brings folders there and back", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cp-"));
    const long = "n".repeat(120);
    mkdirSync(join(folder, "there", long), { recursive: true });
    writeFileSync(join(folder, "there", long, "ü"), "deep\n");
    const bytes = Buffer.alloc(1_000_000, "0123456789abcdef\0");
    writeFileSync(join(folder, "there", "big"), bytes);
    await kubectl.ok(["cp", join(folder, "there"), `web:/tmp/${minor}`]);
    expect(await kubectl.ok(["exec", "web", "--", "ls", `/tmp/${minor}`])).toBe(`big\n${long}\n`);
    await kubectl.ok(["cp", `web:/tmp/${minor}`, join(folder, "back")]);
    expect(readFileSync(join(folder, "back", "big")).equals(bytes)).toBe(true);
    expect(readFileSync(join(folder, "back", long, "ü"), "utf8")).toBe("deep\n");
    rmSync(folder, { recursive: true });
    // kubectl ends as soon as it has read the end of the archive: what tar said on stderr may be lost in it, and so may
    // tar's exit code. What our side sends is seen whole by the next test.
    const { code, stdout, stderr } = await kubectl.run(["cp", "web:/nosuch", folder]);
    expect([0, 2]).toContain(code);
    expect(tarRefusal.split("\n")).toEqual(expect.arrayContaining(stdout.split("\n")));
    expect(["", "command terminated with exit code 2\n"]).toContain(stderr);
    expect(existsSync(folder)).toBe(false);
  });

  it("tells all that a program said before it failed, beside its output", async () => {
    const done = await kubectl.run(["exec", "web", "--", "tar", "cf", "-", "/nosuch"]);
    expect(done).toEqual({
      code: 2,
      stdout: "\0".repeat(1_024),
      stderr: `${tarRefusal}command terminated with exit code 2\n`,
    });
  });

  it("exec ends when the pod does", async () => {
    const name = `executed-${minor}`;
    await kubectl.ok(["run", name, "--image=nginx"]);
    await kubectl.ok(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=30s"]);
    const running = kubectl.start(["exec", name, "--", "sh", "-c", "echo here; sleep infinity"]);
    await said(running, "here");
    await kubectl.ok(["delete", "pod", name]);
    expect(await ended(running)).toBe(137);
  });

  it("run -i shows what a command wrote that ended at once, and its exit code", async () => {
    const run = ["run", `brief-${minor}`, "-i", "--rm", "--image=busybox", "--restart=Never"];
    const { code, stdout } = await kubectl.run([...run, "--", "sh", "-c", "echo hi; exit 3"]);
    expect([code, stdout.split("\n")[0]]).toEqual([3, "hi"]);
  });

  it("attach shows what is written from then on", async () => {
    const name = `attached-${minor}`;
    const command = ["--", "sh", "-c", "for i in $(seq 100); do echo line $i; sleep 1; done"];
    await kubectl.ok(["run", name, "--image=busybox", "--command", ...command]);
    await kubectl.ok(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=30s"]);
    const attached = kubectl.start(["attach", name]);
    await said(attached, "line ");
    await kubectl.ok(["delete", "pod", name, "--now"]);
    expect(await ended(attached)).toBe(0);
  });
});

it("run -i is a shell whose end is the container's", async () => {
  const kubectl = kubectlFor("36", server.kubeconfig);
  const run = ["run", "typed", "-i", "--image=busybox", "--restart=Never", "--", "sh"];
  const done = await kubectl.run(run, "hostname\nexit 3\n");
  expect([done.code, done.stdout]).toEqual([3, "typed\n"]);
  const { status } = await kubectl.json(["get", "pod", "typed"]);
  expect(status.phase).toBe("Failed");
  expect(status.containerStatuses[0].state.terminated).toMatchObject({
    exitCode: 3,
    reason: "Error",
  });
});

it("logs -f ends with the container, once it has told the last line", async () => {
  const kubectl = kubectlFor("36", server.kubeconfig);
  expect(await kubectl.ok(["logs", "-f", "short"])).toBe("begun\ndone\n");
});

it("reaches no container of a node that is dead, and says so as whoever asks would see it", async () => {
  const other = await startServer({ nodes: 1 });
  const apply = kubectlFor("36", other.kubeconfig);
  await apply.ok(["run", "web", "--image=nginx"]);
  await apply.ok(["wait", "--for=condition=Ready", "pod/web", "--timeout=30s"]);
  const node = await apply.json(["get", "node", "node-1"]);
  const address = `${node.status.addresses[0].address}:10250`;
  const why = `dial tcp ${address}: connect: no route to host`;
  await apply.ok(["annotate", "node", "node-1", "wavetank.dev/power=off"]);
  const query = "command=echo&command=a+b&error=1&output=1";
  const sent = `error sending request: Post "https://${address}/exec/default/web/web?${query}"`;
  const refused = (minor: string, ...args: string[]): Promise<string> =>
    kubectlFor(minor, other.kubeconfig).fails(args);
  const exec = ["exec", "web", "--", "echo", "a b"];
  // The view of nodes that streams go by is an informer's.
  await expect.poll(() => apply.run(exec), { timeout: 10_000 }).toMatchObject({ code: 1 });
  expect(await refused("36", ...exec)).toBe(`error: Internal error occurred: ${sent}: ${why}\n`);
  expect(await refused("29", ...exec)).toBe(`Error from server: error dialing backend: ${why}\n`);
  expect(await refused("36", "logs", "web")).toBe(
    `Error from server: Get "https://${address}/containerLogs/default/web/web": ${why}\n`,
  );
  expect(await other.stop()).toBe(0);
});

it("refuses a shell to who may only get", async () => {
  const kubectl = kubectlFor("36", server.kubeconfig);
  await kubectl.ok(["create", "role", "looker", "--verb=get", "--resource=pods,pods/exec"]);
  await kubectl.ok(["create", "rolebinding", "looker", "--role=looker", "--user=eve"]);
  expect(await kubectl.fails(["exec", "web", "--as=eve", "--", "true"])).toContain(
    'User "eve" cannot create resource "pods/exec" in API group "" in the namespace "default"',
  );
});

it("stops although somebody follows", async () => {
  const other = await startServer({ nodes: 1 });
  const kubectl = kubectlFor("36", other.kubeconfig);
  await kubectl.ok(["run", "web", "--image=nginx"]);
  await kubectl.ok(["wait", "--for=condition=Ready", "pod/web", "--timeout=30s"]);
  const following = kubectl.start(["logs", "-f", "web"]);
  const running = kubectl.start(["exec", "web", "--", "sh", "-c", "echo started; sleep infinity"]);
  await Promise.all([said(following, "started"), said(running, "started")]);
  expect(await other.stop()).toBe(0);
  await Promise.all([ended(following), ended(running)]);
});

/** Resolves, with all that was printed since, when the process has printed that. */
async function said(
  child: ChildProcess,
  words: string,
  on: "stdout" | "stderr" = "stdout",
): Promise<string> {
  let text = "";
  for (;;) {
    const [chunk] = (await once(child[on]!, "data")) as [Buffer];
    text += chunk.toString();
    if (text.includes(words)) return text;
  }
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
