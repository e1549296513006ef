// A client that only wants small answers while others take large ones. It runs in a process of its own, started by
// `startBystander`: what it waits for is then the server, not the reader of the lists beside it.
import { setTimeout as pause } from "node:timers/promises";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LoadClient } from "./load-client.ts";
import { readKubeconfig } from "../../src/host/node/kubeconfig-credentials.ts";

const betweenMs = 2;

interface Bystander {
  /** Ends it; the ms of each GET so far. */
  stop(): Promise<readonly number[]>;
}

/** Resolves when it has had its first answer. */
export async function startBystander(kubeconfig: string, path: string): Promise<Bystander> {
  const child = fork(fileURLToPath(import.meta.url), [kubeconfig, path]);
  const message = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => reject(new Error(`the bystander ended with ${code}`)));
    });
  await message();
  return {
    async stop() {
      const times = message();
      child.send("stop");
      return (await times) as number[];
    },
  };
}

async function watchTheClock(kubeconfig: string, path: string): Promise<void> {
  const client = new LoadClient(readKubeconfig(kubeconfig));
  await client.expect(200, "GET", path);
  let running = true;
  process.once("message", () => (running = false));
  process.send?.("ready");
  const times: number[] = [];
  while (running) {
    times.push((await client.expect(200, "GET", path)).ms);
    await pause(betweenMs);
  }
  client.close();
  process.send?.(times);
  process.disconnect();
}

const [, script, kubeconfig, path] = process.argv;
if (script === fileURLToPath(import.meta.url) && kubeconfig !== undefined && path !== undefined)
  await watchTheClock(kubeconfig, path);
