// Pods by node, phase, address: what kubelets, drains and the scheduler select by (upstream: core/pod/strategy.go).
import { at, type FieldTable } from "../../fields.ts";

export const podFields: FieldTable = {
  fields: [
    at("spec.nodeName"),
    at("spec.restartPolicy"),
    at("spec.schedulerName"),
    at("spec.serviceAccountName"),
    at("spec.hostNetwork", "false"),
    at("status.phase"),
    at("status.podIP"),
    // Upstream knows the label and never gives it a value.
    { name: "status.podIPs", paths: [], absent: "" },
    at("status.nominatedNodeName"),
  ],
  aliases: { "spec.host": "spec.nodeName" },
  indexes: [
    { by: "field", field: "spec.nodeName" },
    { by: "label", label: "batch.kubernetes.io/controller-uid" },
    { by: "label", label: "batch.kubernetes.io/job-name" },
    { by: "label", label: "controller-uid" },
    { by: "label", label: "job-name" },
    { by: "label", label: "pod-template-hash" },
  ],
};
