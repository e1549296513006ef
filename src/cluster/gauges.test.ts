import { expect, it } from "vitest";
import type { ResourceCache } from "../watchcache/resource-cache.ts";
import type { WatchCache } from "../watchcache/watch-cache.ts";
import { gaugesOf } from "./gauges.ts";

const cache = (label: string): ResourceCache =>
  ({
    layout: { label },
    size: 2,
    bytes: 90,
    revision: 7,
    counters: { listsFromCache: 3, storeObjectsFetched: 5, watchersOpen: 1 },
  }) as unknown as ResourceCache;

it("resources are told by group and name, as kube-apiserver tells them", () => {
  const resources = [cache("pods"), cache("deployments.apps"), cache("csinodes.storage.k8s.io")];
  const sources = gaugesOf({ resources } as unknown as WatchCache, []);
  const read = (name: string): unknown => {
    const source = sources.find((one) => one.name === name);
    return [source?.type, source?.labels, source && [...source.read()]];
  };
  expect(read("apiserver_watch_cache_resource_version")).toEqual([
    "gauge",
    ["group", "resource"],
    [
      [["", "pods"], 7],
      [["apps", "deployments"], 7],
      [["storage.k8s.io", "csinodes"], 7],
    ],
  ]);
  expect(read("apiserver_storage_list_fetched_objects_total")).toMatchObject([
    "counter",
    {},
    [[["", "pods"], 5], {}, {}],
  ]);
  expect(read("apiserver_cache_list_total")).toMatchObject([
    "counter",
    ["group", "resource", "index"],
    [[["", "pods", ""], 3], {}, {}],
  ]);
  expect(read("apiserver_storage_objects")).toMatchObject([
    undefined,
    ["resource"],
    [[["pods"], 2], {}, {}],
  ]);
  expect(read("kubernetes_build_info")).toMatchObject([
    undefined,
    { length: 9 },
    [[["1", "36", {}, "", "clean", {}, "", "wavetank", {}], 1]],
  ]);
});
