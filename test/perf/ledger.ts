// What the ledger costs: the same requests to a server that keeps one and to one that does not, in turns, so that both see
// the same machine.
import { startServer } from "../wire/server.ts";
import { readKubeconfig } from "../../src/host/node/kubeconfig-credentials.ts";
import type { Report } from "./figures.ts";
import { LoadClient, inParallel, quantile } from "./load-client.ts";
import { configMap } from "./objects.ts";
import { costOf } from "./server-process.ts";
import { createNamespace, path } from "./subject.ts";

const rounds = 7;
/** A round must last long: the kernel tells CPU time in steps of 10 ms. */
const requestsPerRound = 8_000;
const width = 16;
const target = "one-small";

interface Side {
  readonly client: LoadClient;
  readonly pid: number;
  readonly stop: () => Promise<number | null>;
  readonly cpuUs: number[];
}

async function open(...flags: string[]): Promise<Side> {
  const server = await startServer({ flags: ["--memory", ...flags] });
  const client = new LoadClient(readKubeconfig(server.kubeconfig));
  await createNamespace(client);
  await client.expect(201, "POST", path("configmaps"), { body: configMap(target, 1) });
  return { client, pid: server.pid, stop: () => server.stop(), cpuUs: [] };
}

export async function measureLedger(report: Report): Promise<void> {
  const without = await open("--ledger-rows", "0");
  const kept = await open();
  try {
    const one =
      ({ client }: Side) =>
      async (): Promise<void> => {
        await client.expect(200, "GET", path(`configmaps/${target}`));
      };
    for (let round = 0; round <= rounds; round++)
      for (const side of round % 2 === 0 ? [without, kept] : [kept, without]) {
        const work = () => inParallel(requestsPerRound, width, one(side));
        const { cpuSeconds = 0 } = await costOf(side.pid, work);
        // The first round warms up.
        if (round > 0) side.cpuUs.push((cpuSeconds / requestsPerRound) * 1e6);
      }
  } finally {
    for (const side of [without, kept]) {
      side.client.close();
      await side.stop();
    }
  }
  const [off, on] = [quantile(without.cpuUs, 0.5), quantile(kept.cpuUs, 0.5)];
  report({ what: "GET without ledger: server CPU", value: off, unit: "us" });
  report({ what: "GET with ledger: server CPU", value: on, unit: "us" });
  report({
    what: "what the ledger adds to a GET",
    value: (on / off - 1) * 100,
    unit: "%",
    goal: { atMost: 3 },
  });
}
