// A user's own manifests as the guard of a rehearsal: would this have held? Any file that kubectl apply takes, of kinds that
// are built in.
import { parseAllDocuments } from "yaml";
import { CheckedYamlError } from "../api/codec/checked-yaml.ts";
import type { Manifest } from "../fleet/population.ts";
import { knownKind } from "../fleet/resource-address.ts";
import type { Guard } from "./scenario.ts";

/** `source`: how errors call the file. Throws CheckedYamlError. */
export function parseGuard(text: string, source: string): Guard {
  const manifests: Manifest[] = [];
  for (const [index, document] of parseAllDocuments(text).entries()) {
    const [error] = document.errors;
    if (error !== undefined)
      throw new CheckedYamlError(`${source}: document ${index + 1}: ${error.message}`);
    const value: unknown = document.toJS();
    if (value === null) continue;
    if (!isManifest(value))
      throw new CheckedYamlError(
        `${source}: document ${index + 1}: expected an object of a built-in kind, with apiVersion, kind and metadata.name`,
      );
    manifests.push(value);
  }
  if (manifests.length === 0)
    throw new CheckedYamlError(`${source}: expected manifests, found none`);
  return { summary: source, manifests, prepare: [] };
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  if (!("apiVersion" in value && "kind" in value && "metadata" in value)) return false;
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return false;
  if (typeof metadata !== "object" || metadata === null || !("name" in metadata)) return false;
  return typeof metadata.name === "string" && knownKind(apiVersion, kind) !== undefined;
}
