// The pods that streams are about: found by name, as the server has them now, and waited for until they change.
import type { ContainerTarget, PodTarget } from "../../api/node-streams.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import type { Cancel } from "../../host/host.ts";
import type { Informer } from "../../informer/informer.ts";
import { type Run, statusOf, timeOf } from "./container-state.ts";

export class PodWatch {
  readonly #pods: Informer<Pod>;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stop: Cancel;

  constructor(pods: Informer<Pod>) {
    this.#pods = pods;
    this.#stop = pods.addHandler(({ object }) => {
      for (const listener of this.#listeners.get(keyOf(object)) ?? []) listener();
    });
  }

  find({ namespace, pod, node }: PodTarget): Readonly<Served<Pod>> | undefined {
    const found = this.#pods.lister.find(`${namespace}/${pod}`);
    return found?.spec?.nodeName === node ? found : undefined;
  }

  /** `listener` is called after each change of the pod, also when it goes. */
  listen({ namespace, pod }: ContainerTarget, listener: () => void): Cancel {
    const key = `${namespace}/${pod}`;
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners)
        this.#listeners.delete(key);
    };
  }

  /** Whether the container still is in that run. */
  isRunning(target: ContainerTarget, uid: string, run: Run): boolean {
    const pod = this.find(target);
    if (pod === undefined || pod.metadata.uid !== uid) return false;
    const running = statusOf(pod, target.container)?.state?.running;
    return running !== undefined && timeOf(running.startedAt) === run.startedAt;
  }

  close(): void {
    this.#stop();
  }
}
