#!/usr/bin/env node
// The `wavetank` command: argv in, exit code out. Exit codes: 0 done, 1 failed, 2 wrong usage.
import { setMaxListeners } from "node:events";
import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { jsonOnly } from "./argument.ts";
import { addIncidents } from "./incidents-command.ts";
import { addLoad } from "./load-command.ts";
import { addNode } from "./node-command.ts";
import { UsageError } from "./options.ts";
import { addRehearse } from "./rehearse-command.ts";
import { addTop } from "./top-command.ts";
import { addUp } from "./up-command.ts";

const { version } = manifest;

function createProgram(): Command {
  const program = new Command("wavetank")
    .description("A real Kubernetes control plane that you can storm-test.")
    .version(version, "-v, --version")
    .exitOverride()
    .showHelpAfterError("(wavetank --help lists the commands)");
  addUp(program);
  addNode(program);
  addTop(program);
  addLoad(program);
  addRehearse(program);
  addIncidents(program);
  program
    .command("version")
    .description("print the version of Wavetank and of the Kubernetes API it serves")
    .option("-o, --output <format>", "json", jsonOnly)
    .action((flags: { output?: "json" }) => {
      const facts = { wavetank: version, kubernetes: "1.36" };
      console.log(
        flags.output === "json"
          ? JSON.stringify(facts)
          : `wavetank ${version}\nkubernetes v${facts.kubernetes}`,
      );
    });
  return program;
}

// One signal stops a component, and everything that the component waits for listens to it: many listeners are no leak.
setMaxListeners(0);
try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error(`wavetank: ${explain(error)}`);
    process.exitCode ??= 1;
  }
}

/** What the machine refused needs no stack; what we did not expect shows ours, but never the bundle's source. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const ofSystem = typeof (error as NodeJS.ErrnoException).syscall === "string";
  if (error instanceof UsageError || ofSystem) return error.message;
  return error.stack ?? error.message;
}
