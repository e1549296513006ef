// `wavetank top`: the options. What it does is loaded only when it is asked for.
import { jsonOnly } from "./argument.ts";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { TopFlags } from "./top.ts";
import { groupings, sortKeys } from "./top-table.ts";
import { usualKubeconfigs } from "./usual-kubeconfig.ts";

export function addTop(program: Command): void {
  program
    .command("top")
    .description("who costs the server what, live, and what is wrong with how they ask")
    .showHelpAfterError("(wavetank top --help lists the options)")
    .option("--kubeconfig <path>", `how to reach the server (default: ${usualKubeconfigs})`)
    .option("--context <name>", "context of the kubeconfig; default: the current one")
    .addOption(new Option("--by <what>", "one line each").choices(groupings).default("user"))
    .addOption(new Option("--sort <column>", "largest first").choices(sortKeys).default("load"))
    .option("--filter <text>", "only what holds this text: user, agent, address, verb or resource")
    .option("--total", "since the server started, instead of the last minutes")
    .option("--once", "print one table and end")
    .option("--interval <seconds>", "time between two looks", parseSeconds, 2)
    .option("--suggest-guard", "print the FlowSchemas that would bound what was found, as YAML")
    .option("-o, --output <format>", "json: one document, and end", jsonOnly)
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  wavetank top\n" +
        "  wavetank top --by agent --sort scanned\n" +
        "  wavetank top --once --filter pods\n" +
        "  wavetank top --suggest-guard > guard.yaml",
    )
    .action(async (flags: TopFlags) => {
      const { top } = await import("./top.ts");
      return top(flags);
    });
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0.2) || seconds > 3_600)
    throw new InvalidArgumentError("it is a number of seconds from 0.2 to 3600.");
  return seconds;
}
