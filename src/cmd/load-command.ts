// `wavetank load`: the options of the load driver. What it does is loaded only when it is asked for.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { LoadFlags } from "./load.ts";

export function addLoad(program: Command): void {
  program
    .command("load")
    .argument("[file]", "a populations file, or the name of one that comes with Wavetank")
    .description("storm a server with populations of clients, and say what came of it")
    .showHelpAfterError("(wavetank load --help lists the options)")
    .option("--list", "the populations files that come with Wavetank")
    .option("--kubeconfig <path>", "how to reach the server", ".wavetank/kubeconfig")
    .option("--context <name>", "context of the kubeconfig; default: the current one")
    .option("--duration <time>", "ends the run: 90, 90s, 5m", parseDuration, 60_000)
    .option("--max-requests <number>", "ends the run as well", parseCount, 1_000_000)
    .option("--scale <factor>", "multiplies members, nodes and fixtures", parseFactor, 1)
    .option("--set <path=value>", "changes the file; may be repeated", collect, [])
    .option("--seed <number>", "chance that can be had again; default: none", parseSeed)
    .option("--no-prepare", "what the file prepares is there already")
    .option("--prepare-only", "only make what the file prepares")
    .option("--cleanup", "take away what was prepared, also after Ctrl-C")
    .option("-o, --output <format>", "json: the whole report", parseOutput)
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

function parseDuration(text: string): number {
  const [, count, unit = "s"] = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text) ?? [];
  const ms = Number(count) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"];
  if (count === undefined || ms === 0)
    throw new InvalidArgumentError("a time is a number of seconds, or 90s, 5m, 1h.");
  return ms;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError("it is a whole number from 1.");
  return count;
}

function parseFactor(text: string): number {
  const factor = Number(text);
  if (!(factor > 0) || factor > 1_000)
    throw new InvalidArgumentError("a factor is a number above 0, at most 1000.");
  return factor;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(seed) || seed < 0)
    throw new InvalidArgumentError("a seed is a whole number from 0.");
  return seed;
}

function parseOutput(text: string): "json" {
  if (text !== "json") throw new InvalidArgumentError("the one format is json.");
  return text;
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
