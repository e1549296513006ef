// Families of /metrics whose values are read when the page is printed: storage, watch cache, process.
import type { GaugeSource } from "../apiserver/metrics/metric-registry.ts";
import type { CacheCounters, ResourceCache } from "../watchcache/resource-cache.ts";
import type { WatchCache } from "../watchcache/watch-cache.ts";

export function gaugesOf(
  watchCache: WatchCache,
  processFigures: readonly GaugeSource[],
): GaugeSource[] {
  const perResource = (
    name: string,
    help: string,
    read: (cache: ResourceCache) => number,
    type: "gauge" | "counter" = "gauge",
  ): GaugeSource => ({
    name,
    help,
    type,
    labels: ["resource"],
    read: () => watchCache.resources.map((cache) => [[cache.layout.label], read(cache)] as const),
  });
  const counted = (name: string, help: string, key: keyof CacheCounters): GaugeSource =>
    perResource(name, help, (cache) => cache.counters[key], "counter");
  return [
    perResource("apiserver_storage_objects", "Stored objects.", (cache) => cache.size),
    perResource("apiserver_resource_objects", "Stored objects.", (cache) => cache.size),
    counted("apiserver_watch_cache_events_received_total", "Events of the feed.", "events"),
    counted("apiserver_cache_list_total", "LISTs answered from the cache.", "listsFromCache"),
    counted("apiserver_storage_list_total", "LISTs that read the store.", "listsFromStore"),
    counted(
      "apiserver_cache_list_fetched_objects_total",
      "Objects that LISTs looked at.",
      "objectsScanned",
    ),
    counted(
      "apiserver_terminated_watchers_total",
      "Watchers closed for being too slow.",
      "watchersTooSlow",
    ),
    perResource("wavetank_watchers", "Open watches.", (cache) => cache.counters.watchersOpen),
    counted(
      "wavetank_watchers_visited_total",
      "How often an event was shown to a watcher: fan-out work.",
      "watchersVisited",
    ),
    perResource(
      "wavetank_watch_window_bytes",
      "What the recent past of a resource keeps in memory.",
      (cache) => cache.counters.windowBytes,
    ),
    ...processFigures,
  ];
}
