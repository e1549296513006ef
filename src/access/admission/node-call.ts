// A write by a kubelet, as the parts of NodeRestriction look at it.
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { Authorizer } from "../authorization.ts";
import type { ObjectReader } from "../object-reader.ts";

export interface NodeCall {
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly reader: ObjectReader;
  readonly authorizer: Authorizer;
}
