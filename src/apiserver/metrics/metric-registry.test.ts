import { expect, it } from "vitest";
import { MetricRegistry } from "./metric-registry.ts";

it("prints counters, histograms and sources as Prometheus text", () => {
  const registry = new MetricRegistry();
  const requests = registry.counter("requests_total", "Requests.", ["verb", "code"]);
  requests.with("GET", "200").add(1);
  requests.with("GET", "200").add(2);
  requests.with('a"b\\c\n', "500").add(1);
  const seconds = registry.histogram({ name: "seconds", help: "Time." }, ["verb"], [0.1, 1]);
  registry.histogram({ name: "bytes", help: "Size." }, [], [450_000, 1_050_000]).with().observe(2);
  for (const value of [0.1, 0.5, 7]) seconds.with("GET").observe(value);
  registry.source({
    name: "objects",
    help: "Objects.",
    labels: ["resource"],
    read: () => [[["pods"], 3]],
  });
  expect(registry.text()).toBe(
    [
      "# HELP requests_total Requests.",
      "# TYPE requests_total counter",
      'requests_total{verb="GET",code="200"} 3',
      String.raw`requests_total{verb="a\"b\\c\n",code="500"} 1`,
      "# HELP seconds Time.",
      "# TYPE seconds histogram",
      'seconds_bucket{verb="GET",le="0.1"} 1',
      'seconds_bucket{verb="GET",le="1"} 2',
      'seconds_bucket{verb="GET",le="+Inf"} 3',
      'seconds_sum{verb="GET"} 7.6',
      'seconds_count{verb="GET"} 3',
      "# HELP bytes Size.",
      "# TYPE bytes histogram",
      'bytes_bucket{le="450000"} 1',
      'bytes_bucket{le="1.05e+06"} 1',
      'bytes_bucket{le="+Inf"} 1',
      "bytes_sum 2",
      "bytes_count 1",
      "# HELP objects Objects.",
      "# TYPE objects gauge",
      'objects{resource="pods"} 3',
      "",
    ].join("\n"),
  );
});
