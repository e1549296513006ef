// ServiceAccount admission: every pod runs as an account that exists, with that account's pull secrets and, unless it
// is switched off, a volume with its token (upstream: plugin/pkg/admission/serviceaccount).
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { KubeObject } from "../../api/object.ts";
import { serverTimeout } from "../../api/meta/errors.ts";
import type { Container, PodSpec, Volume, VolumeMount } from "../../api/types/core-v1.ts";
import type { Host, RandomStream } from "../../host/host.ts";
import { type AccountTokenProfile, findTokenSecret } from "../account-tokens.ts";
import { type ObjectReader, findSurely } from "../object-reader.ts";
import { type AdmissionStep, onlyFor } from "./chain.ts";
import { isNewPod } from "./new-pod.ts";
import { refuse } from "./refusal.ts";
import { nameSuffix } from "../../api/meta/random-names.ts";

const tokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const mirrorPodAnnotation = "kubernetes.io/config.mirror";
const volumePrefix = "kube-api-access-";
/** Requests of this length tell the server that the client renews the token by itself. */
const projectedTokenSeconds = 3607;

/** The `default` account appears a moment after its namespace: how often and how long a pod waits for it. */
const defaultAccountAttempts = 10;
const defaultAccountWaitMs = 100;

/** `mounted`: how pods get the token (account-tokens.ts). */
export function serviceAccountMutation(
  host: Host,
  reader: ObjectReader,
  mounted: AccountTokenProfile["mounted"],
): AdmissionStep {
  const random = host.random.stream("service-account-admission");
  return onlyFor(isNewPod, async (attributes) => {
    const pod = attributes.object;
    if (pod === undefined || isMirror(pod)) return;
    const spec = pod["spec"] as PodSpec | undefined;
    if (spec === undefined) return;
    // The deprecated field mirrors the other, whichever was set.
    const name = spec.serviceAccountName || spec.serviceAccount || "default";
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    const account = await findAccount(host, reader, attributes.namespace, name);
    if (account === undefined) throw missingAccount(attributes, name);
    if (automounts(spec, account)) {
      if (mounted === "projected") mountProjected(spec, random);
      else mountSecret(spec, await awaitTokenSecret(host, reader, account));
    }
    const secrets = account["imagePullSecrets"] as PodSpec["imagePullSecrets"];
    if ((spec.imagePullSecrets ?? []).length === 0 && secrets !== undefined && secrets.length > 0) {
      spec.imagePullSecrets = secrets.map(({ name: secret }) =>
        secret === undefined ? {} : { name: secret },
      );
    }
  });
}

export function serviceAccountValidation(reader: ObjectReader): AdmissionStep {
  return onlyFor(isNewPod, async (attributes) => {
    const pod = attributes.object;
    const spec = pod?.["spec"] as PodSpec | undefined;
    if (pod === undefined || spec === undefined) return;
    if (isMirror(pod)) return checkMirror(attributes, spec);
    const name = spec.serviceAccountName ?? "";
    if (name === "") {
      const which = `${attributes.namespace}/${attributes.name}`;
      throw refuse(attributes, `no service account specified for pod ${which}`);
    }
    const { namespace } = attributes;
    const account = await findSurely(reader, "serviceaccounts", { namespace, name });
    if (account === undefined) throw missingAccount(attributes, name);
  });
}

function isMirror(pod: KubeObject): boolean {
  return pod.metadata.annotations?.[mirrorPodAnnotation] !== undefined;
}

/** A static pod's mirror lives without the API: the node that made it cannot be given an account's secrets. */
function checkMirror(attributes: AdmissionAttributes, spec: PodSpec): void {
  if ((spec.serviceAccountName ?? "") !== "") {
    throw refuse(attributes, "a mirror pod may not reference service accounts");
  }
  const volumes = spec.volumes ?? [];
  const usesSecret =
    volumes.some((volume) => volume.secret !== undefined) ||
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].some(referencesSecret);
  if (usesSecret) throw refuse(attributes, "a mirror pod may not reference secrets");
  const projects = volumes.some((volume) =>
    volume.projected?.sources?.some((source) => source.serviceAccountToken !== undefined),
  );
  if (projects) {
    throw refuse(attributes, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}

function referencesSecret(container: Container): boolean {
  return (
    (container.env ?? []).some((entry) => entry.valueFrom?.secretKeyRef !== undefined) ||
    (container.envFrom ?? []).some((source) => source.secretRef !== undefined)
  );
}

function missingAccount(attributes: AdmissionAttributes, name: string): Error {
  const which = `${attributes.namespace}/${name}`;
  const why = `error looking up service account ${which}: serviceaccount ${JSON.stringify(name)} not found`;
  return refuse(attributes, why);
}

async function findAccount(
  host: Host,
  reader: ObjectReader,
  namespace: string,
  name: string,
): Promise<Readonly<KubeObject> | undefined> {
  const cached = reader.find("serviceaccounts", namespace, name);
  if (cached !== undefined) return cached;
  const attempts = name === "default" ? defaultAccountAttempts : 1;
  for (let attempt = 1; ; attempt++) {
    const fresh = await reader.findFresh("serviceaccounts", namespace, name);
    if (fresh !== undefined || attempt === attempts) return fresh;
    await new Promise<void>((resolve) => {
      host.clock.after(defaultAccountWaitMs, resolve);
    });
  }
}

function automounts(spec: PodSpec, account: Readonly<KubeObject>): boolean {
  const own = spec.automountServiceAccountToken;
  if (own !== undefined) return own;
  return account["automountServiceAccountToken"] !== false;
}

function mountProjected(spec: PodSpec, random: RandomStream): void {
  const existing = (spec.volumes ?? []).find((one) => one.name.startsWith(volumePrefix));
  const name = existing?.name ?? volumePrefix + nameSuffix(random);
  if (mountEverywhere(spec, name) && existing === undefined)
    spec.volumes = [...(spec.volumes ?? []), volume(name)];
}

/** The volume is called as the Secret. */
function mountSecret(spec: PodSpec, secretName: string): void {
  const volumes = spec.volumes ?? [];
  const existing = volumes.find(({ secret }) => secret?.secretName === secretName);
  const secret = { secretName, defaultMode: 0o644 };
  if (mountEverywhere(spec, existing?.name ?? secretName) && existing === undefined)
    spec.volumes = [...volumes, { name: secretName, secret }];
}

/** Whether any container wants it: whoever mounts something of their own there does without the token. */
function mountEverywhere(spec: PodSpec, name: string): boolean {
  const mount: VolumeMount = { name, readOnly: true, mountPath: tokenMountPath };
  let mounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some(({ mountPath }) => mountPath === tokenMountPath)) continue;
    container.volumeMounts = [...mounts, { ...mount }];
    mounted = true;
  }
  return mounted;
}

/** A new account's Secret comes a moment after it. */
async function awaitTokenSecret(
  host: Host,
  reader: ObjectReader,
  account: Readonly<KubeObject>,
): Promise<string> {
  const { namespace = "", name = "" } = account.metadata;
  let current: Readonly<KubeObject> | undefined = account;
  for (let attempt = 1; attempt <= defaultAccountAttempts; attempt++) {
    const found = current && findTokenSecret(reader, current);
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      host.clock.after(defaultAccountWaitMs, resolve);
    });
    current = await reader.findFresh("serviceaccounts", namespace, name);
  }
  throw serverTimeout(
    `No API token found for service account ${JSON.stringify(name)}, retry after the token is automatically created and added to the service account`,
  );
}

function volume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: projectedTokenSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [
              {
                path: "namespace",
                fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" },
              },
            ],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}
