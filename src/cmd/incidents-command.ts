// `wavetank incidents list|show`: the library of outages, for reading.
import type { Command } from "commander";
import { linksOf, listText, showText } from "../rehearsal/library/library.ts";
import { UsageError } from "./options.ts";
import { readLibrary } from "./shipped.ts";

interface Flags {
  readonly output?: string;
}

export function addIncidents(program: Command): void {
  const incidents = program
    .command("incidents")
    .description("outages of real clusters: what happened, why, and what they have in common");
  incidents
    .command("list")
    .description("one line for each incident")
    .option("-o, --output <format>", "json")
    .action(({ output }: Flags) => {
      const all = readLibrary();
      console.log(output === "json" ? JSON.stringify(all, undefined, 2) : listText(all));
    });
  incidents
    .command("show <name>")
    .description("the record of one incident")
    .option("-o, --output <format>", "json")
    .action((name: string, { output }: Flags) => {
      const all = readLibrary();
      const entry = all.find(({ slug }) => slug === name);
      if (entry === undefined)
        throw new UsageError(`there is no incident ${name}; wavetank incidents list has them all`);
      const record = { ...entry, links: linksOf(entry, all) };
      console.log(output === "json" ? JSON.stringify(record, undefined, 2) : showText(entry, all));
    });
}
