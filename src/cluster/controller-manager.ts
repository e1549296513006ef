// Runs the components of one process against a server in the same process: one set of informers for all of them, a
// client each, as kube-controller-manager does.
import { Client } from "../client/client.ts";
import { serviceAccountIdentity, userIdentity } from "../client/identity.ts";
import type { RateLimit } from "../client/rate-limiter.ts";
import type { Transport } from "../client/transport.ts";
import type { Clock, Host } from "../host/host.ts";
import {
  type Component,
  type ComponentContext,
  controllerRateLimit,
} from "../informer/component.ts";
import { EventCorrelator, correlatorLimitsUsual } from "../informer/event-correlator.ts";
import { EventRecorder } from "../informer/event-recorder.ts";
import { EventSeries } from "../informer/event-series.ts";
import type { EventStyle } from "../informer/event-style.ts";
import { fairTransports } from "./fair-transport.ts";
import { InformerSet } from "../informer/informer-set.ts";
import { WorkMeter } from "../informer/work-meter.ts";
import type { ReflectorProfile } from "../informer/reflector-profile.ts";
import type { ComponentList } from "./component-list.ts";
import { kubernetesVersion } from "../api/kubernetes-version.ts";

export interface ControllerManagerOptions {
  readonly components: ComponentList;
  /** How their informers read. */
  readonly reflector: ReflectorProfile;
  /** Deep-freeze what the informers hold; for tests and simulation. */
  readonly freeze: boolean;
  /** Of each component's client, as --kube-api-qps and --kube-api-burst; absent: what each usually has. */
  readonly rateLimit?: RateLimit;
}

const managerName = "system:kube-controller-manager";

export interface ControllerManager extends Component {
  readonly meter: WorkMeter;
}

export function startControllerManager(
  host: Host,
  server: Transport,
  options: ControllerManagerOptions,
): ControllerManager {
  const lines = fairTransports(host.clock, server);
  const manager = new Client(host, lines({ name: "kube-controller-manager", urgent: false }), {
    userAgent: `kube-controller-manager/${kubernetesVersion}`,
    identity: userIdentity(host.digest, managerName, []),
    rateLimit: undefined,
  });
  const informers = new InformerSet(host, manager, {
    profile: options.reflector,
    freeze: options.freeze,
  });
  const recorders: EventRecorder[] = [];
  const clientAs: ComponentContext["clientAs"] = (
    name,
    identity,
    { rateLimit, line = name, urgent = false },
  ) =>
    new Client(host, lines({ name: line, urgent }), {
      userAgent: `${name}/${kubernetesVersion}`,
      identity,
      rateLimit,
    });
  const meter = new WorkMeter();
  const shared = new Map<string, Client>();
  const context: ComponentContext = {
    host,
    informers,
    clientOf: (name, share = { qps: 1, burst: 1 }) => {
      const { qps, burst } = options.rateLimit ?? controllerRateLimit;
      const identity = serviceAccountIdentity(host.digest, "kube-system", name);
      const rateLimit = { qps: qps * share.qps, burst: burst * share.burst };
      return clientAs(name, identity, { rateLimit });
    },
    sharedClientOf(name) {
      const client = shared.get(name) ?? context.clientOf(name);
      shared.set(name, client);
      return client;
    },
    clientAs,
    meter,
    rateLimit: options.rateLimit,
    recorderOf(component, client, { onNode, series = false } = {}) {
      const style = styleOf(host.clock, series);
      const recorder = new EventRecorder(host, client.resource("events"), {
        component,
        ...(onNode === undefined ? {} : { host: onNode }),
        style,
      });
      recorders.push(recorder);
      return recorder;
    },
  };
  const running = options.components.map(([, factory]) => factory(context));
  informers.start();
  for (const component of running) component.start();
  return {
    meter,
    start: () => {},
    async stop() {
      await Promise.all(running.map((component) => component.stop()));
      await Promise.all(recorders.map((recorder) => recorder.stop()));
      await informers.stop();
    },
  };
}

function styleOf(clock: Clock, series: boolean): EventStyle {
  return series
    ? new EventSeries(clock, correlatorLimitsUsual.remembered)
    : new EventCorrelator(clock, correlatorLimitsUsual);
}
