import { describe, expect, test } from "vitest";
import { defaultJobSelector } from "./batch-defaults.ts";
import { defaulted, template, templateDefaulted } from "./defaults.testbed.ts";

describe("workloads", () => {
  test.each<[string, object, object]>([
    [
      "apps.v1.Deployment",
      {},
      {
        replicas: 1,
        strategy: {
          type: "RollingUpdate",
          rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
        },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    ],
    [
      "apps.v1.Deployment",
      { replicas: 0, strategy: { type: "Recreate" } },
      {
        replicas: 0,
        strategy: { type: "Recreate" },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    ],
    [
      "apps.v1.DaemonSet",
      {},
      {
        updateStrategy: {
          type: "RollingUpdate",
          rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
        },
        revisionHistoryLimit: 10,
      },
    ],
    ["apps.v1.ReplicaSet", {}, { replicas: 1 }],
    [
      "apps.v1.StatefulSet",
      { volumeClaimTemplates: [{ metadata: { name: "v" } }] },
      {
        replicas: 1,
        volumeClaimTemplates: [
          {
            kind: "PersistentVolumeClaim",
            apiVersion: "v1",
            metadata: { name: "v" },
            spec: { volumeMode: "Filesystem" },
            status: { phase: "Pending" },
          },
        ],
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      },
    ],
    [
      "batch.v1.Job",
      {},
      {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: "TerminatingOrFailed",
      },
    ],
    [
      "batch.v1.Job",
      {
        parallelism: 3,
        backoffLimitPerIndex: 1,
        podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "T" }] }] },
      },
      {
        parallelism: 3,
        backoffLimitPerIndex: 1,
        backoffLimit: 2_147_483_647,
        completionMode: "NonIndexed",
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: "Failed",
        podFailurePolicy: {
          rules: [{ action: "Ignore", onPodConditions: [{ type: "T", status: "True" }] }],
        },
      },
    ],
  ])("%s", (typeId, fields, want) => {
    expect(defaulted(typeId, { spec: { ...fields, template } })["spec"]).toEqual({
      ...want,
      template: templateDefaulted,
    });
  });
  test("a Job is labelled by its template and selected by its uid", () => {
    const job = defaulted("batch.v1.Job", { spec: { template } });
    expect(job.metadata.labels).toEqual({ a: "b" });
    const typed = { metadata: { name: "j" }, spec: { template: structuredClone(template) } };
    defaultJobSelector(typed, "u");
    expect(typed.spec).toMatchObject({
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
      template: {
        metadata: {
          labels: {
            a: "b",
            "batch.kubernetes.io/controller-uid": "u",
            "controller-uid": "u",
            "batch.kubernetes.io/job-name": "j",
            "job-name": "j",
          },
        },
      },
    });
  });
  test("a CronJob's template gets pod defaults only", () => {
    const spec = { schedule: "* * * * *", jobTemplate: { metadata: {}, spec: { template } } };
    expect(defaulted("batch.v1.CronJob", { spec })["spec"]).toEqual({
      schedule: "* * * * *",
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { metadata: {}, spec: { template: templateDefaulted } },
    });
  });
});
