// Every checker runs in every run: what a workload does not touch costs nothing.
import type { MakeChecker } from "./checker.ts";
import { jobCounts } from "./job-counts.ts";
import { orphans } from "./orphans.ts";
import { placement } from "./placement.ts";
import { quota } from "./quota.ts";
import { surge } from "./surge.ts";

export const allCheckers: readonly MakeChecker[] = [placement, jobCounts, orphans, surge, quota];
