// `wavetank load`: the options of the load driver. What it does is loaded only when it is asked for.
import { collected, duration, jsonOnly, wholeNumber } from "./argument.ts";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { LoadFlags } from "./load.ts";

export function addLoad(program: Command): void {
  program
    .command("load")
    .argument("[file]", "a populations file, or the name of one that comes with Wavetank")
    .description("storm a server with populations of clients, and say what came of it")
    .showHelpAfterError("(wavetank load --help lists the options)")
    .option("--list", "the populations files that come with Wavetank")
    // A storm must not break over the cluster that the shell happens to be pointed at.
    .option(
      "--kubeconfig <path>",
      "the server to storm; $KUBECONFIG is not looked at",
      ".wavetank/kubeconfig",
    )
    .option("--context <name>", "context of the kubeconfig; default: the current one")
    .addOption(
      new Option("--duration <time>", "ends the run: 90, 90s, 5m")
        .argParser(duration)
        .default(60_000, "60s"),
    )
    .option("--max-requests <number>", "ends the run as well", wholeNumber(1), 1_000_000)
    .option("--scale <factor>", "multiplies members, nodes and fixtures", parseFactor, 1)
    .option("--set <path=value>", "changes the file; may be repeated", collected, [])
    .option("--seed <number>", "chance that can be had again; default: none", wholeNumber(0))
    .option("--no-prepare", "what the file prepares is there already")
    .option("--prepare-only", "only make what the file prepares")
    .option("--cleanup", "take away what was prepared, also after Ctrl-C")
    .option("-o, --output <format>", "json: the whole report", jsonOnly)
    .addOption(new Option("--bystanders", "a process that `load` starts for them").hideHelp())
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  wavetank load --list\n" +
        "  wavetank load daemonset-list-storm\n" +
        "  wavetank load daemonset-list-storm --scale 0.1 --cleanup\n" +
        "  wavetank load informer-fleet --set populations.informers.count=64 --duration 5m\n" +
        "  wavetank load my-storm.yaml --kubeconfig ~/.kube/config -o json",
    )
    .action(async (file: string | undefined, flags: LoadFlags) => {
      const { listPopulations, load } = await import("./load.ts");
      if (flags.list === true) return listPopulations();
      return load(file, flags);
    });
}

function parseFactor(text: string): number {
  const factor = Number(text);
  if (!(factor > 0) || factor > 1_000)
    throw new InvalidArgumentError("a factor is a number above 0, at most 1000.");
  return factor;
}
