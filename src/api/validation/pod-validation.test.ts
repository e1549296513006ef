import { type Case, refusalTests } from "./refusal.testbed.ts";

const container = { name: "c", image: "i" };
const pod = (spec: object): object => ({ spec: { containers: [container], ...spec } });
const withContainer = (more: object): object => pod({ containers: [{ ...container, ...more }] });
const first = "spec.containers[0]";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const containers: Case[] = [
  ["good", pod({})],
  ["none", { spec: {} }, "spec.containers: Required value"],
  ["no name", withContainer({ name: "" }), `${first}.name: Required value`],
  ["bad name", withContainer({ name: "C" }), `${first}.name: Invalid value: "C": ${label}`],
  ["no image", withContainer({ image: "" }), `${first}.image: Required value`],
  [
    "image with blanks",
    withContainer({ image: " i" }),
    `${first}.image: Invalid value: " i": must not have leading or trailing whitespace`,
  ],
  [
    "two of one name",
    pod({ containers: [container, container] }),
    'spec.containers[1].name: Duplicate value: "c"',
  ],
  [
    "pull policy",
    withContainer({ imagePullPolicy: "x" }),
    `${first}.imagePullPolicy: Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never"`,
  ],
  [
    "termination policy",
    withContainer({ terminationMessagePolicy: "x" }),
    `${first}.terminationMessagePolicy: Unsupported value: "x": supported values: "File", "FallbackToLogsOnError"`,
  ],
  [
    "no container port",
    withContainer({ ports: [{}] }),
    `${first}.ports[0].containerPort: Required value`,
  ],
  [
    "container port",
    withContainer({ ports: [{ containerPort: 65_536 }] }),
    `${first}.ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
  ],
  [
    "port names",
    withContainer({
      ports: [
        { containerPort: 1, name: "a" },
        { containerPort: 2, name: "a" },
        { containerPort: 3, name: "1234567890123456" },
      ],
    }),
    `${first}.ports[1].name: Duplicate value: "a"`,
    `${first}.ports[2].name: Invalid value: "1234567890123456": must be no more than 15 characters`,
    `${first}.ports[2].name: Invalid value: "1234567890123456": must contain at least one letter (a-z)`,
  ],
  [
    "protocol",
    withContainer({ ports: [{ containerPort: 1, protocol: "ICMP" }] }),
    `${first}.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`,
  ],
  [
    "host ports that collide",
    pod({
      containers: [
        { ...container, ports: [{ containerPort: 1, hostPort: 80 }] },
        { ...container, name: "d", ports: [{ containerPort: 2, hostPort: 80 }] },
      ],
    }),
    'spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"',
  ],
  [
    "host port under host network",
    pod({
      hostNetwork: true,
      containers: [{ ...container, ports: [{ containerPort: 1, hostPort: 2 }] }],
    }),
    `${first}.ports[0].hostPort: Invalid value: 2: must match \`containerPort\` when \`hostNetwork\` is true`,
  ],
  [
    "environment",
    withContainer({
      env: [
        { name: "ok name ~" },
        { name: "" },
        { name: "a=b" },
        { name: "A", value: "x", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } },
        { name: "B", valueFrom: {} },
        { name: "C", valueFrom: { fieldRef: { fieldPath: "spec.foo" } } },
        { name: "D", valueFrom: { fieldRef: { fieldPath: "status.phase" } } },
        { name: "E", valueFrom: { resourceFieldRef: { resource: "limits.gold" } } },
        { name: "F", valueFrom: { secretKeyRef: { name: "s", key: "" } } },
      ],
    }),
    `${first}.env[1].name: Required value`,
    `${first}.env[2].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    `${first}.env[3].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
    `${first}.env[4].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`, \`secretKeyRef\` or \`fileKeyRef\``,
    `${first}.env[5].valueFrom.fieldRef.fieldPath: Invalid value: "spec.foo": error converting fieldPath: field label not supported: spec.foo`,
    `${first}.env[6].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"`,
    `${first}.env[7].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gold": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"`,
    `${first}.env[8].valueFrom.secretKeyRef.key: Required value`,
  ],
  [
    "environment from",
    withContainer({ envFrom: [{ prefix: "a=" }, { configMapRef: { name: "" } }] }),
    `${first}.envFrom[0].prefix: Invalid value: "a=": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    `${first}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
    `${first}.envFrom[1].configMapRef.name: Required value`,
  ],
  [
    "mounts",
    pod({
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [
        {
          ...container,
          volumeMounts: [
            { name: "v", mountPath: "/x" },
            { name: "w", mountPath: "/y" },
            { name: "v", mountPath: "/x", subPath: "../a" },
            { name: "v", mountPath: "" },
          ],
        },
      ],
    }),
    `${first}.volumeMounts[1].name: Not found: "w"`,
    `${first}.volumeMounts[2].mountPath: Invalid value: "/x": must be unique`,
    `${first}.volumeMounts.subPath: Invalid value: "../a": must not contain '..'`,
    `${first}.volumeMounts[3].mountPath: Required value`,
  ],
  [
    "resources",
    withContainer({
      resources: {
        requests: { cpu: "2", memory: "1Gi", gold: "1", "a.b/c": "1500m" },
        limits: { cpu: "1", memory: "1024Mi", "a.b/c": "2" },
      },
    }),
    `${first}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
    `${first}.resources.requests[gold]: Invalid value: "gold": must be a standard resource type or fully qualified`,
    `${first}.resources.requests[gold]: Invalid value: "gold": must be a standard resource for containers`,
    `${first}.resources.requests[a.b/c]: Invalid value: "1500m": must be an integer`,
    `${first}.resources.requests: Invalid value: "1500m": must be equal to a.b/c limit of 2`,
  ],
  [
    "negative and huge",
    withContainer({
      resources: { limits: { cpu: "-1", "hugepages-2Mi": "2Mi" }, requests: { cpu: "-1" } },
    }),
    `${first}.resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
    `${first}.resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
  ],
  [
    "huge pages alone",
    withContainer({ resources: { limits: { "hugepages-2Mi": "2Mi" } } }),
    `${first}.resources: Forbidden: HugePages require cpu or memory`,
  ],
  [
    "probes",
    withContainer({
      livenessProbe: { httpGet: { port: 0, scheme: "FTP" }, successThreshold: 2 },
      readinessProbe: {
        terminationGracePeriodSeconds: 1,
        exec: { command: ["a"] },
        grpc: { port: 1 },
      },
      startupProbe: { tcpSocket: { port: "HTTP" }, periodSeconds: -1 },
    }),
    `${first}.livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
    `${first}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
    `${first}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
    `${first}.readinessProbe.grpc: Forbidden: may not specify more than 1 handler type`,
    `${first}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`,
    `${first}.startupProbe.tcpSocket.port: Invalid value: "HTTP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
    `${first}.startupProbe.tcpSocket.port: Invalid value: "HTTP": must contain at least one letter (a-z)`,
    `${first}.startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
  ],
  [
    "lifecycle",
    withContainer({
      lifecycle: { postStart: { exec: {} }, preStop: { sleep: { seconds: 31 } } },
      livenessProbe: {},
    }),
    `${first}.lifecycle.postStart.exec.command: Required value`,
    `${first}.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)`,
    `${first}.livenessProbe: Required value: must specify a handler type`,
  ],
  [
    "security",
    withContainer({
      securityContext: {
        runAsUser: -1,
        privileged: true,
        allowPrivilegeEscalation: false,
        seccompProfile: { type: "Localhost" },
        appArmorProfile: { type: "x" },
      },
    }),
    `${first}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 4294967295, inclusive`,
    `${first}.securityContext: Invalid value: {"runAsUser":-1,"privileged":true,"allowPrivilegeEscalation":false,"seccompProfile":{"type":"Localhost"},"appArmorProfile":{"type":"x"}}: cannot set \`allowPrivilegeEscalation\` to false and \`privileged\` to true`,
    `${first}.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`,
    `${first}.securityContext.appArmorProfile.type: Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"`,
  ],
  [
    "init and ephemeral containers",
    pod({
      initContainers: [
        { ...container, name: "c", livenessProbe: { exec: { command: ["a"] } } },
        { ...container, name: "side", restartPolicy: "Always", livenessProbe: {} },
      ],
      ephemeralContainers: [
        { ...container, name: "e", targetContainerName: "z", ports: [{ containerPort: 1 }] },
      ],
    }),
    'spec.initContainers[0].name: Duplicate value: "c"',
    "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    "spec.initContainers[1].livenessProbe: Required value: must specify a handler type",
    'spec.ephemeralContainers[0].targetContainerName: Not found: "z"',
    "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
    "spec.ephemeralContainers: Forbidden: cannot be set on create",
  ],
];

const spec: Case[] = [
  [
    "restart policy",
    pod({ restartPolicy: "x" }),
    'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    "DNS policy",
    pod({ dnsPolicy: "x" }),
    'spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
  ],
  [
    "DNS of one's own",
    pod({ dnsPolicy: "None" }),
    "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
  ],
  [
    "nameservers",
    pod({ dnsConfig: { nameservers: ["10.0.0.1", "x"] } }),
    'spec.dnsConfig.nameservers[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  [
    "node selector",
    pod({ nodeSelector: { a: "b c" } }),
    `spec.nodeSelector: Invalid value: "b c": ${labelValue}`,
  ],
  [
    "names",
    pod({ hostname: "A", activeDeadlineSeconds: 0, priorityClassName: "ok", nodeName: "ok" }),
    "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
    `spec.hostname: Invalid value: "A": ${label}`,
  ],
  [
    "tolerations",
    pod({
      tolerations: [
        { operator: "Exists" },
        { key: "k", operator: "Equal", value: "v", effect: "NoExecute", tolerationSeconds: 1 },
        { operator: "Equal" },
        { key: "k", operator: "x" },
        { key: "k", operator: "Exists", value: "v", effect: "Never" },
        { key: "k", operator: "Exists", tolerationSeconds: 1 },
      ],
    }),
    'spec.tolerations[2].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    'spec.tolerations[3].operator: Unsupported value: "x": supported values: "Equal", "Exists"',
    "spec.tolerations[4].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'",
    'spec.tolerations[4].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    "spec.tolerations[5].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set",
  ],
  [
    "affinity",
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 101, preference: { matchExpressions: [{ key: "k", operator: "Gt" }] } },
          ],
        },
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: "t",
              labelSelector: { matchExpressions: [{ key: "k", operator: "In" }] },
            },
          ],
        },
      },
    }),
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
    "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
    "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    "spread",
    pod({
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "x", labelSelector: {} },
      ],
    }),
    "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
    "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
    'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "x": supported values: "DoNotSchedule", "ScheduleAnyway"',
  ],
  [
    "gates",
    pod({ schedulingGates: [{ name: "a/b" }, { name: "a/b" }], nodeName: "n" }),
    'spec.schedulingGates[1]: Duplicate value: "a/b"',
    "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
  ],
  [
    "claims",
    pod({
      resourceClaims: [{ name: "r", resourceClaimName: "x" }, { name: "s" }],
      containers: [{ ...container, resources: { claims: [{ name: "r" }, { name: "t" }] } }],
    }),
    'spec.resourceClaims[1]: Invalid value: {"name":"s"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    `${first}.resources.claims[1]: Not found: "t": must be one of the names in pod.spec.resourceClaims: r, s`,
  ],
  [
    "pod-level resources",
    pod({ resources: { limits: { cpu: "1", "ephemeral-storage": "1Gi" } } }),
    'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "memory", "hugepages-"',
  ],
];

const volumes: Case[] = [
  [
    "good",
    pod({
      volumes: [
        { name: "a", secret: { secretName: "s", items: [{ key: "k", path: "p/q" }] } },
        { name: "b", persistentVolumeClaim: { claimName: "c" } },
        { name: "c" },
      ],
    }),
  ],
  [
    "names and sources",
    pod({
      volumes: [
        { name: "", emptyDir: {} },
        { name: "a", emptyDir: {}, hostPath: { path: "/" } },
        { name: "b", emptyDir: {} },
        { name: "b", emptyDir: {} },
      ],
    }),
    "spec.volumes[0].name: Required value",
    "spec.volumes[1].hostPath: Forbidden: may not specify more than 1 volume type",
    'spec.volumes[3].name: Duplicate value: "b"',
  ],
  [
    "what sources need",
    pod({
      volumes: [
        { name: "a", secret: { defaultMode: 512 } },
        { name: "b", configMap: { name: "m", items: [{ key: "", path: "/a" }] } },
        { name: "c", hostPath: { path: "" } },
        { name: "d", hostPath: { path: "/a/..", type: "x" } },
        { name: "e", persistentVolumeClaim: { claimName: "" } },
        { name: "f", nfs: { server: "", path: "a" } },
        { name: "g", downwardAPI: { items: [{ path: "..a" }] } },
        { name: "h", csi: { driver: "" } },
        { name: "i", ephemeral: {} },
      ],
    }),
    "spec.volumes[0].secret.secretName: Required value",
    "spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    "spec.volumes[1].configMap.items[0].key: Required value",
    'spec.volumes[1].configMap.items[0].path: Invalid value: "/a": must be a relative path',
    "spec.volumes[2].hostPath.path: Required value",
    "spec.volumes[3].hostPath.path: Invalid value: \"/a/..\": must not contain '..'",
    'spec.volumes[3].hostPath.type: Unsupported value: "x": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    "spec.volumes[4].persistentVolumeClaim.claimName: Required value",
    "spec.volumes[5].nfs.server: Required value",
    'spec.volumes[5].nfs.path: Invalid value: "a": must be an absolute path',
    "spec.volumes[6].downwardAPI.path: Invalid value: \"..a\": must not start with '..'",
    "spec.volumes[6].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
    "spec.volumes[7].csi.driver: Required value",
    "spec.volumes[8].ephemeral.volumeClaimTemplate: Required value",
  ],
  [
    "tokens",
    pod({
      volumes: [
        {
          name: "a",
          projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 1 } }] },
        },
      ],
    }),
    "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes",
    "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
  ],
];

refusalTests("core.v1.Pod", [...containers, ...spec, ...volumes]);
