import { expect, it } from "vitest";
import { type ProtectionPlan, claimFinalizer, planProtection } from "./plan.ts";

const deletionTimestamp = "2026-01-01T00:00:00Z";
const finalizers = [claimFinalizer];

it.each<[object, boolean, ProtectionPlan]>([
  [{}, false, "protect"],
  [{ finalizers: ["other"] }, true, "protect"],
  [{ finalizers }, false, "nothing"],
  [{ finalizers, deletionTimestamp }, true, "nothing"],
  [{ finalizers, deletionTimestamp }, false, "release"],
  [{ finalizers: ["other"], deletionTimestamp }, false, "nothing"],
])("of %j, in use: %s, comes: %s", (metadata, inUse, expected) => {
  expect(planProtection({ metadata: { name: "c", ...metadata } }, claimFinalizer, inUse)).toBe(
    expected,
  );
});
