// Empties namespaces that are being deleted and lets them go: all pods first, then everything else that discovery knows,
// then the finalizer `kubernetes`. What keeps it is told in the namespace's conditions.
import { formatTime } from "../../api/codec/time.ts";
import { unknownError } from "../../api/meta/errors.ts";
import type { Namespace } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { type Discovered, discoverResources } from "../../client/discovery.ts";
import { reasonOf } from "../../client/reason.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext, RateShare } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import type { RetryLaw } from "../../informer/work-queue.ts";
import { copyJson } from "../../std/json.ts";
import { emptyResource } from "./apply.ts";
import { type Findings, aggregate, nextConditions } from "./conditions.ts";
import { lookAgainMs, stagesOf, verdictOf } from "./plan.ts";
import { messageOf } from "../../std/error-message.ts";

const workers = 10;
/** kube-controller-manager multiplies the rate of this client, because it empties many kinds. */
const share: RateShare = { qps: 20, burst: 100 };
const retry: RetryLaw = { initialMs: 5, maxMs: 60_000, overall: { qps: 1_000, burst: 1_000 } };
/** Lets other servers of the cluster learn that the namespace takes nothing new. */
const startDelayMs = 5_000;
const conflictTriesMax = 5;
const finalizer = "kubernetes";

export function createNamespaceController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf("namespace-controller", share);
  const deleter = new NamespaceDeleter(host, client);
  const controller = new Controller(host, {
    name: "namespace-controller",
    workers,
    retry,
    sync: (name) => deleter.sync(name),
  });
  const namespaces = informers.of("namespaces");
  controller.needs(namespaces);
  namespaces.addHandler(({ type, object }) => {
    if (type === "deleted" || object.metadata.deletionTimestamp == null) return;
    controller.queue.addAfter(keyOf(object), startDelayMs);
  });
  return controller;
}

interface Pass {
  /** Seconds; undefined: nothing is left. */
  readonly estimate: number | undefined;
  readonly failures: readonly string[];
}

class NamespaceDeleter {
  readonly #host: Host;
  readonly #client: Client;

  constructor(host: Host, client: Client) {
    this.#host = host;
    this.#client = client;
  }

  async sync(name: string): Promise<SyncOutcome | void> {
    const namespace = await this.#client.resource("namespaces").find({ name });
    if (namespace?.metadata.deletionTimestamp == null) return;
    const marked = await this.#markTerminating(namespace);
    if (marked === undefined || !isUnfinished(marked)) return;
    const { estimate, failures } = await this.#empty(marked);
    if (failures.length > 0) throw unknownError(aggregate(failures));
    if (estimate !== undefined) return { requeueAfterMs: lookAgainMs(estimate) };
    await this.#finalize(marked);
  }

  #markTerminating(namespace: Served<Namespace>): Promise<Served<Namespace> | undefined> {
    return this.#change(namespace, "status", (fresh) => {
      if (fresh.status?.phase === "Terminating") return false;
      fresh.status = { ...fresh.status, phase: "Terminating" };
      return true;
    });
  }

  async #empty(namespace: Served<Namespace>): Promise<Pass> {
    const discovered = await discoverResources(this.#client);
    const resources = new Map<string, number>();
    const finalizers = new Map<string, number>();
    const contentFailures: string[] = [];
    let estimate: number | undefined;
    for (const stage of stagesOf(discovered.resources)) {
      for (const resource of stage) {
        const left = await this.#emptyOne(namespace, resource, contentFailures);
        if (left === undefined || left.count === 0) continue;
        resources.set(`${resource.resource}.${resource.group}`, left.count);
        for (const [one, count] of left.finalizers)
          finalizers.set(one, (finalizers.get(one) ?? 0) + count);
        if (left.seconds > 0) estimate = Math.max(estimate ?? 0, left.seconds);
      }
      if (resources.size > 0 || contentFailures.length > 0) break;
    }
    const discoveryFailure = staleText(discovered);
    const findings = { discoveryFailure, contentFailures, resources, finalizers };
    await this.#tell(namespace, findings);
    const failures = [discoveryFailure ?? [], contentFailures].flat();
    return { estimate, failures };
  }

  async #emptyOne(
    namespace: Served<Namespace>,
    resource: Discovered["resources"][number],
    failures: string[],
  ): Promise<
    { count: number; finalizers: ReadonlyMap<string, number>; seconds: number } | undefined
  > {
    const { name, deletionTimestamp } = namespace.metadata;
    const nowMs = this.#host.clock.now();
    try {
      const left = await emptyResource(this.#client, resource, {
        namespace: name,
        deletedAtMs: Date.parse(deletionTimestamp ?? ""),
        nowMs,
      });
      const { count, finalizers, graceSeconds } = left;
      const verdict = verdictOf({ count, finalizers: finalizers.size, graceSeconds });
      if (verdict.do === "complain") {
        const { group, version } = resource;
        const gvr = `${group}/${version}, Resource=${resource.resource}`;
        failures.push(`unexpected items still remain in namespace: ${name} for gvr: ${gvr}`);
      }
      return { count, finalizers, seconds: verdict.do === "wait" ? verdict.seconds : 0 };
    } catch (error) {
      // The resource itself may have gone, or have never taken this verb.
      if (["NotFound", "MethodNotAllowed"].includes(reasonOf(error))) return undefined;
      failures.push(messageOf(error));
      return undefined;
    }
  }

  async #tell(namespace: Served<Namespace>, findings: Findings): Promise<void> {
    const seconds = Math.floor(this.#host.clock.now() / 1_000);
    const now = formatTime({ seconds, nanos: 0 }) ?? "";
    await this.#change(namespace, "status", (fresh) => {
      const conditions = nextConditions(fresh.status?.conditions ?? [], findings, now);
      if (conditions === undefined) return false;
      fresh.status = { ...fresh.status, conditions };
      return true;
    });
  }

  async #finalize(namespace: Served<Namespace>): Promise<void> {
    await this.#change(namespace, "finalize", (fresh) => {
      if (!isUnfinished(fresh)) return false;
      const finalizers = fresh.spec?.finalizers?.filter((one) => one !== finalizer) ?? [];
      fresh.spec = { ...fresh.spec, finalizers };
      return true;
    });
  }

  /** Reads anew and tries again when somebody was faster. Undefined: it is gone, or another of the same name is there. */
  async #change(
    namespace: Served<Namespace>,
    subresource: "status" | "finalize",
    edit: (fresh: Served<Namespace>) => boolean,
  ): Promise<Served<Namespace> | undefined> {
    const { name, uid } = namespace.metadata;
    const namespaces = this.#client.resource("namespaces");
    for (let tries = 1; ; tries++) {
      const fresh: Served<Namespace> | undefined =
        tries === 1 && subresource === "status"
          ? copyJson(namespace)
          : await namespaces.find({ name });
      if (fresh?.metadata.uid !== uid || fresh.metadata.deletionTimestamp == null) return undefined;
      if (!edit(fresh)) return fresh;
      try {
        return await namespaces.update(fresh, { subresource });
      } catch (error) {
        if (reasonOf(error) === "NotFound") return undefined;
        if (reasonOf(error) !== "Conflict" || tries === conflictTriesMax) throw error;
      }
    }
  }
}

function isUnfinished({ spec }: Namespace): boolean {
  return spec?.finalizers?.includes(finalizer) ?? false;
}

function staleText({ stale }: Discovered): string | undefined {
  if (stale.length === 0) return undefined;
  const list = stale.map((one) => `${one}: stale GroupVersion discovery: ${one}`).join(", ");
  return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${list}`;
}
