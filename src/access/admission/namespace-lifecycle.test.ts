import { describe, expect, test } from "vitest";
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";

const held = new HeldObjects()
  .put("namespaces", { metadata: { name: "ns" }, status: { phase: "Active" } })
  .put("namespaces", { metadata: { name: "old" }, status: { phase: "Terminating" } })
  .putUnseen("namespaces", { metadata: { name: "new" }, status: { phase: "Active" } });
const step = namespaceLifecycle(held);
const pod = (namespace: string, name = "p") => ({ metadata: { name, namespace } });

describe("namespaceLifecycle", () => {
  test.each<[string, AdmissionAttributes]>([
    ["a create in a living namespace", admissionCall("CREATE", "pods", pod("ns"))],
    ["a create in a namespace the cache has not seen", admissionCall("CREATE", "pods", pod("new"))],
    ["an update in a terminating one", admissionCall("UPDATE", "pods", pod("old"))],
    ["a delete anywhere", admissionCall("DELETE", "pods", undefined, { namespace: "gone" })],
    ["cluster-scoped objects", admissionCall("CREATE", "nodes", { metadata: { name: "n" } })],
    ["a new namespace", admissionCall("CREATE", "namespaces", { metadata: { name: "x" } })],
    [
      "deleting another namespace",
      admissionCall("DELETE", "namespaces", undefined, { name: "kube-node-lease" }),
    ],
    [
      "a review",
      admissionCall("CREATE", "localsubjectaccessreviews.authorization.k8s.io", pod("gone")),
    ],
  ])("lets %s pass", async (_, attributes) => {
    expect(await refusalOf(step, attributes)).toBeUndefined();
  });

  test.each<[string, AdmissionAttributes, unknown]>([
    [
      "a create in a missing namespace",
      admissionCall("CREATE", "pods", pod("gone")),
      { code: 404, message: 'namespaces "gone" not found' },
    ],
    [
      "a create in a terminating namespace",
      admissionCall("CREATE", "deployments.apps", pod("old", "d")),
      {
        code: 403,
        message:
          'deployments.apps "d" is forbidden: unable to create new content in namespace old because it is being terminated',
        causes: [
          {
            reason: "NamespaceTerminating",
            message: "namespace old is being terminated",
            field: "metadata.namespace",
          },
        ],
      },
    ],
    [
      "deleting default",
      admissionCall("DELETE", "namespaces", undefined, { name: "default" }),
      {
        code: 403,
        message: 'namespaces "default" is forbidden: this namespace may not be deleted',
      },
    ],
  ])("refuses %s", async (_, attributes, refusal) => {
    expect(await refusalOf(step, attributes)).toEqual(refusal);
  });
});
