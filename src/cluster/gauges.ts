// Families of /metrics whose values are read when the page is printed: storage, watch cache, version, process. The names
// and labels are kube-apiserver's, so that its dashboards and alerts find them.
import type { GaugeSource } from "../apiserver/metrics/metric-registry.ts";
import type { VersionDocument } from "../apiserver/parts.ts";
import type { CacheCounters, ResourceCache } from "../watchcache/resource-cache.ts";
import type { WatchCache } from "../watchcache/watch-cache.ts";
import { versionDocument } from "./version-document.ts";

/** Name, help, counter. */
const counted: readonly (readonly [string, string, keyof CacheCounters])[] = [
  [
    "apiserver_watch_cache_events_received_total",
    "[ALPHA] Changes that the watch cache took from the store.",
    "events",
  ],
  [
    "apiserver_watch_cache_events_dispatched_total",
    "[ALPHA] Changes that the watch cache handed on to watchers.",
    "events",
  ],
  [
    "apiserver_cache_list_returned_objects_total",
    "[ALPHA] Objects that LISTs from the watch cache found.",
    "objectsReturned",
  ],
  ["apiserver_storage_list_total", "[ALPHA] LISTs answered from storage.", "listsFromStore"],
  [
    "apiserver_storage_list_fetched_objects_total",
    "[ALPHA] Objects that LISTs read from storage.",
    "storeObjectsFetched",
  ],
  [
    "apiserver_storage_list_evaluated_objects_total",
    "[ALPHA] Objects that LISTs from storage looked at.",
    "storeObjectsScanned",
  ],
  [
    "apiserver_storage_list_returned_objects_total",
    "[ALPHA] Objects that LISTs from storage found.",
    "storeObjectsReturned",
  ],
  [
    "apiserver_terminated_watchers_total",
    "[ALPHA] Watchers closed for being too slow.",
    "watchersTooSlow",
  ],
];

/** As above, of lists from the cache; the index that answered them is not known here. */
const countedByIndex: typeof counted = [
  ["apiserver_cache_list_total", "[ALPHA] LISTs answered from the watch cache.", "listsFromCache"],
  [
    "apiserver_cache_list_fetched_objects_total",
    "[ALPHA] Objects that LISTs from the watch cache looked at.",
    "objectsScanned",
  ],
];

type Read = (cache: ResourceCache) => number;

const measured: readonly (readonly [string, string, Read])[] = [
  ["apiserver_resource_objects", "[ALPHA] Stored objects.", (cache) => cache.size],
  [
    "apiserver_resource_size_estimate_bytes",
    "[ALPHA] What the stored objects take up, as they are served.",
    (cache) => cache.bytes,
  ],
  [
    "apiserver_watch_cache_resource_version",
    "[ALPHA] The revision that the watch cache knows everything up to.",
    (cache) => cache.revision,
  ],
];

export function gaugesOf(
  watchCache: WatchCache,
  processFigures: readonly GaugeSource[],
): GaugeSource[] {
  const perResource = (name: string, help: string, read: Read): GaugeSource => ({
    name,
    help,
    labels: ["resource"],
    read: () => watchCache.resources.map((cache) => [[cache.layout.label], read(cache)]),
  });
  const perGroupResource =
    (type: "gauge" | "counter") =>
    (name: string, help: string, read: Read): GaugeSource => ({
      name,
      help,
      type,
      labels: ["group", "resource"],
      read: () => watchCache.resources.map((cache) => [groupResource(cache), read(cache)]),
    });
  const gauge = perGroupResource("gauge");
  const counter = perGroupResource("counter");
  return [
    perResource("apiserver_storage_objects", "[STABLE] Stored objects.", (cache) => cache.size),
    ...measured.map(([name, help, read]) => gauge(name, help, read)),
    ...counted.map(([name, help, key]) => counter(name, help, (cache) => cache.counters[key])),
    ...countedByIndex.map(([name, help, key]) => ({
      name,
      help,
      type: "counter" as const,
      labels: ["group", "resource", "index"],
      read: () =>
        watchCache.resources.map(
          (cache) => [[...groupResource(cache), ""], cache.counters[key]] as const,
        ),
    })),
    perResource("wavetank_watchers", "Open watches.", (cache) => cache.counters.watchersOpen),
    {
      ...perResource(
        "wavetank_watchers_visited_total",
        "How often an event was shown to a watcher: fan-out work.",
        (cache) => cache.counters.watchersVisited,
      ),
      type: "counter",
    },
    perResource(
      "wavetank_watch_window_bytes",
      "What the recent past of a resource keeps in memory.",
      (cache) => cache.counters.windowBytes,
    ),
    buildInfo,
    ...processFigures,
  ];
}

/** Of `deployments.apps`: `apps` and `deployments`. */
function groupResource({ layout: { label } }: ResourceCache): [group: string, resource: string] {
  const dot = label.indexOf(".");
  return dot === -1 ? ["", label] : [label.slice(dot + 1), label.slice(0, dot)];
}

const buildLabels: readonly (readonly [label: string, field: keyof VersionDocument])[] = [
  ["major", "major"],
  ["minor", "minor"],
  ["git_version", "gitVersion"],
  ["git_commit", "gitCommit"],
  ["git_tree_state", "gitTreeState"],
  ["build_date", "buildDate"],
  ["go_version", "goVersion"],
  ["compiler", "compiler"],
  ["platform", "platform"],
];

const buildInfo: GaugeSource = {
  name: "kubernetes_build_info",
  help: "[BETA] Always 1; the labels say which Kubernetes this is.",
  labels: buildLabels.map(([label]) => label),
  read: () => [[buildLabels.map(([, field]) => versionDocument[field] ?? ""), 1]],
};
