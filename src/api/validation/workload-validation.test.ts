import { describe, expect, test } from "vitest";
import { refusalTests, updateRefusalTests } from "./refusal.testbed.ts";

const container = { name: "c", image: "i" };
const template = (more: object = {}): object => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [container], ...more },
});
const selector = { matchLabels: { a: "b" } };
const workload = (more: object = {}): object => ({
  spec: { selector, template: template(), serviceName: "s", ...more },
});
const mismatch =
  'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';
const onlyAlways =
  'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"';
const otherSelector = { matchExpressions: [{ key: "a", operator: "Exists" }] };
const selectorKept = `spec.selector: Invalid value: ${JSON.stringify(otherSelector)}: field is immutable`;

describe("deployments and replica sets", () => {
  refusalTests("apps.v1.Deployment", [
    ["good", workload()],
    ["a clever selector", workload({ selector: otherSelector })],
    [
      "no selector",
      { spec: { template: template() } },
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
    [
      "empty selector",
      workload({ selector: {} }),
      "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
    ],
    ["mismatch", workload({ selector: { matchLabels: { x: "y" } } }), mismatch],
    ["restart policy", workload({ template: template({ restartPolicy: "Never" }) }), onlyAlways],
    [
      "replicas",
      workload({ replicas: -1 }),
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "a rollout that cannot move",
      workload({ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: "0%" } } }),
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
    ],
    [
      "percentages",
      workload({ strategy: { rollingUpdate: { maxUnavailable: "101%", maxSurge: "x" } } }),
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      "recreate",
      workload({ strategy: { type: "Recreate", rollingUpdate: {} } }),
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      "strategy",
      workload({ strategy: { type: "x" } }),
      'spec.strategy: Unsupported value: {"type":"x"}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      "deadline",
      workload({ minReadySeconds: 600 }),
      "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds",
    ],
    [
      "ephemeral containers",
      workload({ template: template({ ephemeralContainers: [{ name: "e", image: "i" }] }) }),
      "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template",
    ],
    [
      "an image in a template may have blanks",
      workload({ template: template({ containers: [{ name: "c", image: " i" }] }) }),
    ],
  ]);
  updateRefusalTests("apps.v1.Deployment", [
    [
      "an image",
      workload(),
      workload({ template: template({ containers: [{ name: "c", image: "j" }] }) }),
    ],
    ["another selector", workload(), workload({ selector: otherSelector }), selectorKept],
  ]);
  updateRefusalTests("apps.v1.Deployment", [["a status", workload(), { spec: {} }]], "status");
  refusalTests("apps.v1.ReplicaSet", [
    ["good", workload()],
    [
      "bad",
      workload({
        selector: { matchLabels: { x: "y" } },
        template: template({ restartPolicy: "Never" }),
      }),
      mismatch,
      onlyAlways,
    ],
  ]);
  updateRefusalTests("apps.v1.ReplicaSet", [
    ["another selector", workload(), workload({ selector: otherSelector }), selectorKept],
  ]);
});

describe("daemon sets and stateful sets", () => {
  refusalTests("apps.v1.DaemonSet", [
    ["good", workload()],
    ["mismatch", workload({ selector: { matchLabels: { x: "y" } } }), mismatch],
    [
      "both",
      workload({ updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }),
      "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
    ],
    [
      "neither",
      workload({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
    ],
  ]);
  updateRefusalTests("apps.v1.DaemonSet", [
    ["another selector", workload(), workload({ selector: otherSelector }), selectorKept],
  ]);
  refusalTests("apps.v1.StatefulSet", [
    ["good", workload()],
    [
      "bad",
      workload({
        podManagementPolicy: "x",
        updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "x" },
      }),
      "spec.podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'",
      "spec.updateStrategy.rollingUpdate: Invalid value: {\"partition\":1}: only allowed for updateStrategy 'RollingUpdate'",
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "x": supported values: "Retain", "Delete"',
    ],
  ]);
  updateRefusalTests("apps.v1.StatefulSet", [
    [
      "what may change",
      workload(),
      workload({ replicas: 3, minReadySeconds: 1, ordinals: { start: 1 } }),
    ],
    [
      "another service",
      workload(),
      workload({ serviceName: "t" }),
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  ]);
  refusalTests("apps.v1.ControllerRevision", [
    ["good", { data: {}, revision: 1 }],
    [
      "bad",
      { revision: -1 },
      "revision: Invalid value: -1: must be greater than or equal to 0",
      "data: Required value: data is mandatory",
    ],
    [
      "no object",
      { data: "", revision: 1 },
      "data: Required value: data must be a valid JSON object",
    ],
  ]);
  updateRefusalTests("apps.v1.ControllerRevision", [
    [
      "another content",
      { data: { a: 1 }, revision: 1 },
      { data: { a: 2 }, revision: 2 },
      'data: Invalid value: {"a":2}: field is immutable',
    ],
  ]);
});

describe("jobs", () => {
  const job = (more: object = {}): object => ({
    spec: {
      manualSelector: true,
      selector,
      template: template({ restartPolicy: "Never" }),
      ...more,
    },
  });
  const restart = "spec.template.spec.restartPolicy";
  refusalTests("batch.v1.Job", [
    ["good", job()],
    [
      "no restart policy",
      job({ template: template() }),
      `${restart}: Required value: valid values: "OnFailure", "Never"`,
    ],
    [
      "counts",
      job({ parallelism: -1, backoffLimit: -1 }),
      "spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
      "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "indexed",
      job({ completionMode: "Indexed", parallelism: 1 }),
      "spec.completions: Required value: when completion mode is Indexed",
    ],
    [
      "mode",
      job({ completionMode: "x" }),
      'spec.completionMode: Unsupported value: "x": supported values: "NonIndexed", "Indexed"',
    ],
    [
      "failure policy",
      job({
        template: template({ restartPolicy: "OnFailure" }),
        podFailurePolicy: {
          rules: [
            { action: "x", onExitCodes: { operator: "In", values: [0] } },
            { action: "Ignore" },
          ],
        },
      }),
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "x": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
      "spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
      `${restart}: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified`,
    ],
    ["mismatch", job({ selector: { matchLabels: { x: "y" } } }), mismatch],
    [
      "a selector of somebody else",
      job({ manualSelector: false }),
      "spec.template.metadata.labels[controller-uid]: Required value: must be ''",
      "spec.template.metadata.labels[job-name]: Required value: must be 'x'",
      "spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Required value: must be ''",
      "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Required value: must be 'x'",
      'spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` not auto-generated',
    ],
    [
      "too large",
      job({
        completionMode: "Indexed",
        completions: 200_000,
        parallelism: 20_000,
        backoffLimitPerIndex: 1,
        successPolicy: { rules: [{}, { succeededCount: 300_000 }] },
      }),
      "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
      "spec.parallelism: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
      "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified",
      "spec.successPolicy.rules[1].succeededCount: Invalid value: 300000: must be less than or equal to 200000 (the number of specified completions)",
    ],
    [
      "conditions and codes of pods",
      job({
        podFailurePolicy: {
          rules: [
            { action: "", onPodConditions: [{ type: "", status: "x" }] },
            {
              action: "FailIndex",
              onExitCodes: { containerName: "other", operator: "", values: [2, 1, 1] },
              onPodConditions: [{ type: "A", status: "True" }],
            },
          ],
        },
      }),
      'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      'spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "": name part must be non-empty',
      `spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      'spec.podFailurePolicy.rules[1].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      'spec.podFailurePolicy.rules[1].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
      'spec.podFailurePolicy.rules[1].onExitCodes.containerName: Invalid value: "other": must be one of the container or initContainer names in the pod template',
      "spec.podFailurePolicy.rules[1].onExitCodes.values[2]: Duplicate value: 1",
      "spec.podFailurePolicy.rules[1].onExitCodes.values: Invalid value: [2,1,1]: must be ordered",
      "spec.podFailurePolicy.rules[1]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
    ],
  ]);
  const other = template({ restartPolicy: "Never", containers: [{ name: "c", image: "j" }] });
  updateRefusalTests("batch.v1.Job", [
    ["parallelism", job(), job({ completions: 1, parallelism: 2 })],
    [
      "completions",
      job(),
      job({ completions: 2, parallelism: 1 }),
      "spec.completions: Invalid value: 2: field is immutable",
    ],
    [
      "elastic",
      job({ completionMode: "Indexed", completions: 2, parallelism: 2 }),
      job({ completionMode: "Indexed", completions: 3, parallelism: 3 }),
    ],
    [
      "steered before its start",
      job({ suspend: true }),
      job({
        suspend: false,
        template: template({ restartPolicy: "Never", nodeSelector: { a: "b" } }),
      }),
    ],
  ]);
  test("a template stays", async () => {
    const { updateRefusals } = await import("./refusal.testbed.ts");
    const [complaint] = updateRefusals("batch.v1.Job", [job(), job({ template: other })]);
    expect(complaint).toMatch(/^spec\.template: Invalid value: \{.*\}: field is immutable$/);
  });
});

describe("cron jobs", () => {
  const cron = (schedule: string, more: object = {}): object => ({
    spec: {
      schedule,
      jobTemplate: { spec: { template: template({ restartPolicy: "Never" }) } },
      ...more,
    },
  });
  refusalTests("batch.v1.CronJob", [
    ["good", cron("*/5 0-6,12 1 jan mon-fri")],
    ["no schedule", cron(""), "spec.schedule: Required value"],
    [
      "one field",
      cron("x"),
      'spec.schedule: Invalid value: "x": expected exactly 5 fields, found 1: [x]',
    ],
    [
      "time zone in it",
      cron("TZ=UTC 0 0 * * *"),
      'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [
      "time zone",
      cron("@daily", { timeZone: "" }),
      'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string',
    ],
    ...["Europe/Nowhere", "europe/berlin", "Etc/../UTC", "Asia//Tokyo"].map(
      (timeZone): [string, object, string] => [
        `time zone ${timeZone}`,
        cron("@daily", { timeZone }),
        `spec.timeZone: Invalid value: "${timeZone}": unknown time zone ${timeZone}`,
      ],
    ),
    [
      "policy",
      cron("@daily", { concurrencyPolicy: "x" }),
      'spec.concurrencyPolicy: Unsupported value: "x": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      "long name",
      { ...cron("@daily"), metadata: { name: "a".repeat(53) } },
      `metadata.name: Invalid value: "${"a".repeat(53)}": must be no more than 52 characters`,
    ],
    [
      "template",
      { spec: { schedule: "@daily", jobTemplate: { spec: { template: template() } } } },
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ]);
});
