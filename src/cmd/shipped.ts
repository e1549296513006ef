// Files that come with the package: beside the bundle, or beside the sources.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CheckedYamlError } from "../api/codec/checked-yaml.ts";
import { parseIncident } from "../rehearsal/library/incident.ts";
import { type LibraryEntry, scenarioNames } from "../rehearsal/library/library.ts";
import { UsageError } from "./options.ts";

/** `name`: `populations`, `incidents`. */
export function shippedFolder(name: string): string {
  const folders = [`../${name}`, `../../${name}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const folder = folders.find((path) => existsSync(path));
  if (folder === undefined) throw new UsageError(`the folder ${name} of the package is missing`);
  return folder;
}

/** The text of a user's file, or of the shipped one that `name` names. `hint`: where such names are listed. */
export function readNamed(name: string, shipped: string, hint: string): string {
  const isName = /^[a-z0-9-]+(\/[a-z0-9-]+)?$/.test(name) && existsSync(shipped);
  try {
    return readFileSync(isName ? shipped : name, "utf8");
  } catch (cause) {
    throw new UsageError(`${name} is no file that can be read, and no name (${hint})`, { cause });
  }
}

export function readLibrary(): LibraryEntry[] {
  const folder = shippedFolder("incidents");
  return readdirSync(folder)
    .toSorted()
    .map((slug) => {
      const path = `${folder}/${slug}/incident.yaml`;
      const incident = parseIncident(readFileSync(path, "utf8"), path);
      return { slug, incident, scenarios: scenarioNames(slug, readdirSync(`${folder}/${slug}`)) };
    });
}

/** What `parse` makes of a file; what is wrong with it is the user's to mend. */
export function userFile<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CheckedYamlError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
