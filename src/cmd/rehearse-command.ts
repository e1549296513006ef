// `wavetank rehearse`: its options. What it does is loaded only when it is asked for.
import { collected, jsonOnly, wholeNumber } from "./argument.ts";
import type { Command } from "commander";
import {
  againWithRoomForTheYoung,
  endWithParent,
  hasRoomForTheYoung,
} from "../host/node/young-room.ts";
import { UsageError } from "./options.ts";
import type { RehearseFlags } from "./rehearse.ts";

export function addRehearse(program: Command): void {
  program
    .command("rehearse")
    .argument("[scenario]", "a scenario file, or the name of an incident")
    .description("replay an outage in simulated time, with its guard off and on")
    .showHelpAfterError("(wavetank rehearse --help lists the options)")
    .option("--seed <number>", "chance; the same seed gives the same run", wholeNumber(0), 1)
    .option("--profile <version>", "behave as, e.g. 1.22 or wavetank; or a file of costs")
    .option("--guard <which>", "off, on, both, or a file of manifests to guard with", "both")
    .option("--nodes <number>", "simulated nodes, instead of the scenario's", wholeNumber(0))
    .option("--set <path=value>", "changes the scenario; may be repeated", collected, [])
    .option("--sweep <path=a,b,c>", "one run for each value, and how the harm grows with it")
    .option("--runs <number>", "so many runs, with seeds from --seed on", wholeNumber(1, 1_000), 1)
    .option("--report <file>", "writes the report, one HTML file")
    .option("--figures", "lists the numbers that checks and verdicts may speak of")
    .option("-o, --output <format>", "json: the whole outcome", jsonOnly)
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  wavetank rehearse daemonset-list-storm --report storm.html\n" +
        "  wavetank rehearse daemonset-list-storm --profile 1.31\n" +
        "  wavetank rehearse runaway-job --guard off --sweep timeline.0.atSeconds=10,20\n" +
        "  wavetank rehearse my-storm.yaml --set populations.collectors.count=200\n" +
        "\nExit code: 0 when the verdict is as expected, 1 when it is not, 2 when the command or the file is wrong.",
    )
    .action(async (name: string | undefined, flags: RehearseFlags) => {
      if (!hasRoomForTheYoung() && flags.figures !== true) {
        process.exitCode = await againWithRoomForTheYoung();
        return;
      }
      endWithParent();
      const { listFigures, rehearseAll } = await import("./rehearse.ts");
      if (flags.figures === true) return listFigures();
      return rehearseAll(name, flags).catch((error: unknown) => {
        // 1 is an unexpected verdict: whoever runs this in CI wants to tell a wrong file from it.
        if (error instanceof UsageError) process.exitCode = 2;
        throw error;
      });
    });
}
