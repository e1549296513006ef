// What subresources answer that do something instead of storing what they were sent.
import type { Status } from "../../../api/types/meta-v1.ts";

export const success: Status = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
};
