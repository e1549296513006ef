// Every built-in resource that is stored, through real kubectl: what people type, many kinds a call.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EveryKind, manifestFile, readEveryKind } from "./every-kind.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

const kinds = readEveryKind();
let server: Server;

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

/** As `-o name` says it: "deployment.apps/web". */
function nameOf({ resource, object }: EveryKind): string {
  const group = resource.group === "" ? "" : `.${resource.group}`;
  return `${resource.singular}${group}/${object.metadata.name}`;
}

/** What kubectl says it did, for all objects in the file's order. */
const all = (word: string): string => kinds.map((kind) => `${nameOf(kind)} ${word}\n`).join("");

/**
 * kubectl compares lists without a merge key whole, so with defaults inside them, other spellings of quantities or the
 * write-only stringData it sends a patch each time, to a real cluster as to us.
 */
const seenAsChanged: ReadonlySet<string> = new Set([
  "secret/token",
  "endpoints/legacy",
  "limitrange/sizes",
  "pod/lone",
  "deployment.apps/web",
  "statefulset.apps/db",
  "job.batch/once",
  "networkpolicy.networking.k8s.io/lock",
  "clusterrolebinding.rbac.authorization.k8s.io/every-reads",
  "rolebinding.rbac.authorization.k8s.io/reads",
  "mutatingadmissionpolicy.admissionregistration.k8s.io/add-label",
  "mutatingwebhookconfiguration.admissionregistration.k8s.io/mutate.example.com",
  "validatingadmissionpolicy.admissionregistration.k8s.io/few-replicas",
  "validatingwebhookconfiguration.admissionregistration.k8s.io/validate.example.com",
  "endpointslice.discovery.k8s.io/web-abc",
  "resourceclaim.resource.k8s.io/one-gpu",
  "resourceclaimtemplate.resource.k8s.io/gpu-each",
]);

/** Apart for namespaced and cluster-wide objects, for which kubectl takes different flags. */
const places = (["every", ""] as const).map((namespace) => ({
  flags: namespace === "" ? [] : ["-n", namespace],
  here: kinds.filter(({ resource }) => resource.namespaced === (namespace !== "")),
}));

const lines = (output: string): string[] => output.split("\n").filter((line) => line !== "");

describe.each(["36", "29"])("kubectl 1.%s", (minor) => {
  let kubectl: Kubectl;

  beforeAll(async () => {
    kubectl = kubectlFor(minor, server.kubeconfig);
    await kubectl.ok(["create", "namespace", "every"]);
  });

  it("creates nothing when it only tries", async () => {
    const file = ["create", "-f", manifestFile, "--dry-run=server"];
    expect(await kubectl.ok(file)).toBe(all("created (server dry run)"));
    for (const { flags, here } of places) {
      const names = here.map(({ title, object }) => `${title}/${object.metadata.name}`);
      const { stdout } = await kubectl.run(["get", ...flags, "-o", "name", ...names]);
      expect(stdout).toBe("");
    }
  });

  it("creates all, also as protobuf, and shows them as YAML, JSON and Table", async () => {
    expect(await kubectl.ok(["create", "-f", manifestFile])).toBe(all("created"));
    const json = await kubectl.json(["get", "-f", manifestFile]);
    expect(json.items.map((item: any) => item.kind)).toEqual(
      kinds.map(({ object }) => object.kind),
    );
    const yaml = await kubectl.ok(["get", "-f", manifestFile, "-o", "yaml"]);
    expect(yaml.match(/^ {2}kind: /gm)).toHaveLength(kinds.length);
    const wide = await kubectl.ok(["get", "-f", manifestFile, "-o", "wide", "--show-labels"]);
    for (const { object } of kinds) expect(wide).toContain(object.metadata.name);
  });

  it("labels, annotates and patches all", async () => {
    await kubectl.ok(["label", "-f", manifestFile, "every=kind"]);
    await kubectl.ok(["annotate", "-f", manifestFile, "note=hello"]);
    const patches: [string, string][] = [
      ["merge", '{"metadata":{"labels":{"merge":"1"}}}'],
      ["strategic", '{"metadata":{"labels":{"strategic":"1"}}}'],
      ["json", '[{"op":"add","path":"/metadata/labels/json","value":"1"}]'],
    ];
    for (const [type, patch] of patches)
      expect(await kubectl.ok(["patch", "-f", manifestFile, `--type=${type}`, "-p", patch])).toBe(
        all("patched"),
      );
    for (const { flags, here } of places) {
      const types = here.map(({ title }) => title).join();
      const args = ["get", types, ...flags, "-l", "every=kind,merge,strategic,json", "-o", "name"];
      const found = await kubectl.ok([...args, "--chunk-size=1"]);
      // Events and autoscalers are found in each of their versions, whichever made them.
      const bare = (name: string): string => name.replace(/\.[^/]*\//, "/");
      expect(new Set(lines(found).map(bare))).toEqual(
        new Set(here.map((kind) => bare(nameOf(kind)))),
      );
    }
  });

  it("replaces all with what it read", async () => {
    const json = await kubectl.ok(["get", "-f", manifestFile, "-o", "json"]);
    expect(await kubectl.ok(["replace", "-f", "-"], json)).toBe(all("replaced"));
    expect(await kubectl.ok(["get", "-f", manifestFile, "-o", "json"])).toBe(json);
  });

  it("applies all twice, the second time without effect", async () => {
    const first = await kubectl.ok(["apply", "-f", manifestFile]);
    expect(
      lines(first).every((line) => / (configured|unchanged)$/.test(line)),
      first,
    ).toBe(true);
    const before = await kubectl.ok(["get", "-f", manifestFile, "-o", "json"]);
    expect(lines(await kubectl.ok(["apply", "-f", manifestFile]))).toEqual(
      kinds.map((kind) => {
        const sent = seenAsChanged.has(nameOf(kind));
        return `${nameOf(kind)} ${sent ? "configured" : "unchanged"}`;
      }),
    );
    expect(await kubectl.ok(["get", "-f", manifestFile, "-o", "json"])).toBe(before);
    expect((await kubectl.run(["diff", "-f", manifestFile])).code).toBe(0);
  });

  it("explains all", async () => {
    for (const kind of kinds) {
      const { resource } = kind;
      const version =
        resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
      const explained = await kubectl.ok([
        "explain",
        resource.resource,
        `--api-version=${version}`,
      ]);
      expect(explained).toMatch(new RegExp(`^KIND: +${resource.kind}$`, "m"));
      expect(explained).toMatch(new RegExp(`^VERSION: +${resource.version}$`, "m"));
    }
  });

  // Old kubectl asks for the beta versions of some kinds to describe them.
  if (minor === "36")
    it("describes all", async () => {
      const described = await kubectl.ok(["describe", "-f", manifestFile]);
      for (const { object } of kinds)
        expect(described).toMatch(new RegExp(`^Name: +${object.metadata.name}$`, "m"));
    });

  it("deletes all and waits for it", async () => {
    const gone = await kubectl.ok(["delete", "-f", manifestFile, "--wait=false"]);
    expect(lines(gone)).toHaveLength(kinds.length);
    await playControllers(kubectl);
    await kubectl.ok(["wait", "--for=delete", "-f", manifestFile, "--timeout=30s"]);
    expect(await kubectl.ok(["get", "-f", manifestFile, "--ignore-not-found"])).toBe("");
    await kubectl.ok(["delete", "namespace", "every", "--wait=false"]);
    await finalize(kubectl, "every");
    await kubectl.ok(["wait", "--for=delete", "namespace/every", "--timeout=30s"]);
  });
});

/** Ends what a kubelet, the protection controllers and the namespace controller would end. */
async function playControllers(kubectl: Kubectl): Promise<void> {
  await kubectl.ok(["-n", "every", "delete", "pod", "lone", "--grace-period=0", "--force"]);
  for (const name of ["pv/disk-1", "volumeattributesclass/gold", "pvc/data"])
    await kubectl.ok(["-n", "every", "patch", name, "-p", '{"metadata":{"finalizers":null}}']);
  await finalize(kubectl, "shop");
}

async function finalize(kubectl: Kubectl, namespace: string): Promise<void> {
  const { spec: _spec, ...rest } = await kubectl.json(["get", "namespace", namespace]);
  expect(rest.status.phase).toBe("Terminating");
  const path = `/api/v1/namespaces/${namespace}/finalize`;
  await kubectl.ok(["replace", "--raw", path, "-f", "-"], JSON.stringify({ ...rest, spec: {} }));
}
