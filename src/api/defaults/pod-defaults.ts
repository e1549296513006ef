// Defaults of pods and pod templates (upstream: pkg/apis/core/v1/defaults.go). Fields that admission fills (service
// account, tolerations, priority) are not its matter; sizes of pods as a whole are in pod-level-resources.ts.
import type {
  Container,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Probe,
} from "../types/core-v1.ts";
import { defaultImagePullPolicy } from "./image-pull-policy.ts";
import { defaultPodLevelResources } from "./pod-level-resources.ts";
import { defaultFieldRef, defaultVolume } from "./volume-defaults.ts";

const terminationGracePeriodSeconds = 30;

/** A Pod, unlike a template, also gets requests from limits, service links, and host ports under host network. */
export function defaultPod(pod: Pod): void {
  const spec = (pod.spec ??= {});
  defaultPodSpec(spec);
  // Templates keep what they say, and are warned.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  for (const container of spec.containers ?? []) defaultRequests(container);
  for (const container of spec.initContainers ?? []) defaultRequests(container);
  if (spec.resources) defaultPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) {
    for (const container of spec.containers ?? []) defaultHostPorts(container);
    for (const container of spec.initContainers ?? []) defaultHostPorts(container);
  }
}

export function defaultPodTemplate(template: PodTemplateSpec): void {
  defaultPodSpec((template.spec ??= {}));
}

function defaultPodSpec(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.containers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  spec.restartPolicy ||= "Always";
  spec.terminationGracePeriodSeconds ??= terminationGracePeriodSeconds;
  spec.dnsPolicy ||= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ||= "default-scheduler";
}

function defaultContainer(container: Container): void {
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const variable of container.env ?? []) defaultFieldRef(variable.valueFrom?.fieldRef);
  container.resources ??= {};
  if (container.livenessProbe) defaultProbe(container.livenessProbe);
  if (container.readinessProbe) defaultProbe(container.readinessProbe);
  if (container.startupProbe) defaultProbe(container.startupProbe);
  if (container.lifecycle) defaultLifecycle(container.lifecycle);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.imagePullPolicy ||= defaultImagePullPolicy(container.image ?? "");
}

function defaultProbe(probe: Probe): void {
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
}

function defaultLifecycle(lifecycle: Lifecycle): void {
  defaultHandler(lifecycle.postStart);
  defaultHandler(lifecycle.preStop);
}

function defaultHandler(handler: LifecycleHandler | undefined): void {
  if (handler?.httpGet) defaultHttpGet(handler.httpGet);
}

function defaultHttpGet(action: HTTPGetAction): void {
  action.path ||= "/";
  action.scheme ||= "HTTP";
}

function defaultRequests(container: Container): void {
  const { resources } = container;
  if (!resources?.limits) return;
  const requests = (resources.requests ??= {});
  for (const [name, limit] of Object.entries(resources.limits)) {
    if (!Object.hasOwn(requests, name)) requests[name] = limit;
  }
}

function defaultHostPorts(container: Container): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}
