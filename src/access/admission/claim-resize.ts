// PersistentVolumeClaimResize: only bound claims of a class that allows it may grow (upstream:
// plugin/pkg/admission/storage/persistentvolume/resize).
import { compareQuantityTexts } from "../../api/quantity.ts";
import type { PersistentVolumeClaim } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";
import { refuse } from "./refusal.ts";

const legacyClass = "volume.beta.kubernetes.io/storage-class";

export function claimResize(reader: ObjectReader): AdmissionStep {
  return (attributes) => {
    const { operation, resource, subresource, object, oldObject } = attributes;
    if (operation !== "UPDATE" || subresource !== "" || resource.group !== "") return;
    if (resource.resource !== "persistentvolumeclaims") return;
    const [claim, old] = [object as PersistentVolumeClaim, oldObject as PersistentVolumeClaim];
    if (compareQuantityTexts(sizeOf(claim), sizeOf(old)) <= 0) return;
    if (old.status?.phase !== "Bound")
      throw refuse(attributes, "Only bound persistent volume claims can be expanded");
    const name = classOf(claim);
    const found = reader.find("storageclasses.storage.k8s.io", "", name);
    if (name !== "" && name === classOf(old) && found?.["allowVolumeExpansion"] === true) return;
    throw refuse(
      attributes,
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  };
}

function sizeOf({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.["storage"] ?? "0";
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[legacyClass] ?? spec?.storageClassName ?? "";
}
