// Writes how much of a quota is used, when that is not what it says already.
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/types/core-v1.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { Served } from "../../client/served-object.ts";
import { equalJson } from "../../std/json.ts";

export async function applyQuota(
  quota: Readonly<Served<ResourceQuota>>,
  status: ResourceQuotaStatus,
  quotas: ResourceClient<ResourceQuota>,
): Promise<void> {
  const { hard = {}, used = {} } = quota.status ?? {};
  const same = equalJson(hard, status.hard) && equalJson(used, status.used);
  if (!same) await quotas.updateStatus({ ...quota, status });
}
