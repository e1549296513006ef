// PodTopologyLabels: a pod learns the zone and region of the node it is put on, as labels (upstream:
// plugin/pkg/admission/podtopologylabels).
import type { Binding, Pod } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";

const labels: readonly string[] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

export function podTopologyLabels(reader: ObjectReader): AdmissionStep {
  return ({ operation, resource, subresource, object }) => {
    if (operation !== "CREATE" || resource.group !== "" || resource.resource !== "pods") return;
    if (object === undefined || (subresource !== "" && subresource !== "binding")) return;
    const node =
      subresource === "binding"
        ? (object as unknown as Binding).target.name
        : (object as Pod).spec?.nodeName;
    if (node === undefined || node === "") return;
    const known = reader.find("nodes", "", node)?.metadata.labels ?? {};
    const found = labels.filter((key) => known[key] !== undefined);
    if (found.length === 0) return;
    const added = Object.fromEntries(found.map((key) => [key, known[key] ?? ""]));
    object.metadata.labels = { ...object.metadata.labels, ...added };
  };
}
