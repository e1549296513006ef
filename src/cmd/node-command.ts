// `wavetank node`: the options. What it does is loaded only when it is asked for.
import { type Command, InvalidArgumentError } from "commander";
import type { NodeFlags } from "./node.ts";
import { usualKubeconfigs } from "./usual-kubeconfig.ts";

export function addNode(program: Command): void {
  const node = program
    .command("node")
    .description("what happens to the machine under a simulated node")
    .showHelpAfterError("(wavetank node --help lists what can happen)");
  const deeds = [
    ["kill", "power off: no heartbeat, containers gone"],
    ["cut", "cut it off from the network; its containers go on"],
    ["restart", "power and network on; a machine that runs boots anew"],
  ] as const;
  for (const [deed, description] of deeds)
    addDeed(node.command(`${deed} <name>`), description).action(
      async (name: string, flags: NodeFlags) => {
        const { doToNode } = await import("./node.ts");
        return doToNode({ do: deed }, name, flags);
      },
    );
  const amounts = [
    ["late", "seconds between its heartbeats; 0 as usual"],
    ["skew", "its clock is so many seconds ahead; behind: -- NAME -30"],
  ] as const;
  for (const [deed, description] of amounts)
    addDeed(
      node.command(`${deed} <name>`).argument("<seconds>", "", parseSeconds),
      description,
    ).action(async (name: string, seconds: number, flags: NodeFlags) => {
      const { doToNode } = await import("./node.ts");
      return doToNode({ do: deed, seconds }, name, flags);
    });
}

function addDeed(command: Command, description: string): Command {
  return command
    .description(description)
    .option("--kubeconfig <path>", `how to reach the server (default: ${usualKubeconfigs})`)
    .option("--context <name>", "context of the kubeconfig; default: the current one");
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !Number.isFinite(seconds))
    throw new InvalidArgumentError("give a number of seconds.");
  return seconds;
}
