// DefaultIngressClass: an ingress that names no class gets the newest default one (upstream:
// plugin/pkg/admission/network/defaultingressclass).
import type { KubeObject } from "../../api/object.ts";
import type { Ingress } from "../../api/types/networking-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";
import { newestFirst } from "./newest-first.ts";

const classes = "ingressclasses.networking.k8s.io";
const isDefault = "ingressclass.kubernetes.io/is-default-class";
/** From before the field. */
const classAnnotation = "kubernetes.io/ingress.class";

export function defaultIngressClass(reader: ObjectReader): AdmissionStep {
  return ({ operation, resource, subresource, object }) => {
    if (operation !== "CREATE" || subresource !== "" || object === undefined) return;
    if (resource.group !== "networking.k8s.io" || resource.resource !== "ingresses") return;
    const ingress = object as Ingress;
    if (ingress.spec?.ingressClassName !== undefined) return;
    if (object.metadata.annotations?.[classAnnotation] !== undefined) return;
    const defaults = reader
      .list(classes, "")
      .filter(({ metadata }: Readonly<KubeObject>) => metadata.annotations?.[isDefault] === "true");
    const name = defaults.toSorted(newestFirst)[0]?.metadata.name;
    if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
  };
}
