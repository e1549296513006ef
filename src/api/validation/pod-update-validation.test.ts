import { expect, test } from "vitest";
import { updateRefusals, updateRefusalTests } from "./refusal.testbed.ts";

const container = { name: "c", image: "i:1", resources: { requests: { cpu: "1" } } };
const old = {
  spec: {
    containers: [container],
    activeDeadlineSeconds: 60,
    tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }],
    schedulingGates: [{ name: "g/a" }, { name: "g/b" }],
  },
  status: { phase: "Running", qosClass: "Burstable" },
};
const spec = (more: object): object => ({ ...old, spec: { ...old.spec, ...more } });

updateRefusalTests("core.v1.Pod", [
  ["nothing", old, old],
  [
    "what may change",
    old,
    spec({
      containers: [{ ...container, image: "i:2" }],
      activeDeadlineSeconds: 30,
      tolerations: [
        { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
        { key: "b", operator: "Exists" },
      ],
      schedulingGates: [{ name: "g/a" }],
    }),
  ],
  [
    "a container more",
    old,
    spec({ containers: [container, { ...container, name: "d" }] }),
    "spec.containers: Forbidden: pod updates may not add or remove containers",
  ],
  [
    "a longer deadline",
    old,
    spec({ activeDeadlineSeconds: 61 }),
    "spec.activeDeadlineSeconds: Invalid value: 61: must be less than or equal to previous value",
  ],
  [
    "no deadline",
    old,
    spec({ activeDeadlineSeconds: undefined }),
    "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
  ],
  [
    "fewer tolerations",
    old,
    spec({ tolerations: [] }),
    "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
  ],
  [
    "another gate",
    old,
    spec({ schedulingGates: [{ name: "g/c" }] }),
    "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g/c'",
  ],
  ["a gated pod may be narrowed", old, spec({ nodeSelector: { a: "b" } })],
]);

test("what else changes is named and shown", () => {
  const [complaint, ...others] = updateRefusals("core.v1.Pod", [old, spec({ hostNetwork: true })]);
  expect(others).toEqual([]);
  expect(complaint).toBe(
    "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n+ hostNetwork: true",
  );
});

updateRefusalTests(
  "core.v1.Pod",
  [
    ["a phase", old, { ...old, status: { phase: "Failed", qosClass: "Burstable" } }],
    [
      "another class",
      old,
      { ...old, status: { qosClass: "Guaranteed" } },
      'status.qosClass: Invalid value: "Guaranteed": field is immutable',
    ],
    [
      "back from the end",
      {
        spec: { ...old.spec, restartPolicy: "Never" },
        status: { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 1 } } }] },
      },
      {
        spec: { ...old.spec, restartPolicy: "Never" },
        status: { containerStatuses: [{ name: "c", state: { running: {} } }] },
      },
      "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
    ],
  ],
  "status",
);

const debug = { name: "e", image: "i" };
updateRefusalTests(
  "core.v1.Pod",
  [
    ["one more", old, spec({ ephemeralContainers: [debug] })],
    [
      "one less",
      spec({ ephemeralContainers: [debug] }),
      old,
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
    ],
    [
      "another image",
      spec({ ephemeralContainers: [debug] }),
      spec({ ephemeralContainers: [{ ...debug, image: "j", imagePullPolicy: "Always" }] }),
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n- image: "i"\n+ image: "j"',
    ],
  ],
  "ephemeralcontainers",
);

const sized = (resources: object, more: object = {}): object =>
  spec({ containers: [{ ...container, resources, ...more }] });
updateRefusalTests(
  "core.v1.Pod",
  [
    ["more cpu", old, sized({ requests: { cpu: "2" } })],
    [
      "no cpu",
      old,
      sized({ requests: { memory: "1Gi" } }),
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    ],
    [
      "another class",
      old,
      sized({ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1" } }),
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    [
      "less memory",
      { ...sized({ limits: { cpu: "2", memory: "2Gi" }, requests: { cpu: "1" } }), status: {} },
      {
        ...sized({ limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } }),
        status: {},
      },
      "spec.containers[0].resources.limits[memory]: Forbidden: memory limits cannot be decreased unless resizePolicy is RestartContainer",
    ],
    [
      "something else",
      old,
      spec({ hostNetwork: true }),
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
  ],
  "resize",
);
