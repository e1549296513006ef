// Where objects get a hidden class of their own again and again (docs/decisions/0082): slow to make, and slow to read for
// everyone after. Reads what V8 logs about a built server:
//   node --log-maps --logfile=maps.log --no-logfile-per-isolate dist/wavetank.js up ...   and put some load on it
//   npx tsx scripts/hidden-classes.ts maps.log
// Prints the places of most transitions. Those of the start come once; those of hot code come with every request.
import { createReadStream, readFileSync, readdirSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { createInterface } from "node:readline";

const root = new URL("../", import.meta.url).pathname;
const shownMax = 40;

interface Place {
  readonly line: number;
  readonly column: number;
  /** Keys that were added there. */
  readonly keys: Set<string>;
  count: number;
}

/** `map,Transition,<time>,<from>,<to>,<pc>,<line>,<column>,<reason>,<key>` */
async function placesOf(log: string): Promise<Place[]> {
  const places = new Map<string, Place>();
  for await (const text of createInterface({ input: createReadStream(log) })) {
    if (!text.startsWith("map,Transition,")) continue;
    const [, , , , , , line = "", column = "", , key = ""] = text.split(",");
    const id = `${line}:${column}`;
    const place = places.get(id) ?? {
      line: Number(line),
      column: Number(column),
      keys: new Set<string>(),
      count: 0,
    };
    place.count++;
    place.keys.add(key);
    places.set(id, place);
  }
  return [...places.values()].toSorted((a, b) => b.count - a.count);
}

const dist = `${root}dist/`;
const maps = readdirSync(dist)
  .filter((name) => name.endsWith(".js.map"))
  .map((name) => new SourceMap(JSON.parse(readFileSync(dist + name, "utf8")) as SourceMapPayload));
const texts = new Map<string, string[]>();

function lineOf(source: string, line: number): string {
  const path = root + source;
  try {
    const known = texts.get(path) ?? readFileSync(path, "utf8").split("\n");
    texts.set(path, known);
    return known[line] ?? "";
  } catch {
    return "";
  }
}

/** The log does not say in which file: the line that has the key in it is the likeliest. */
function sourceOf({ line, column, keys }: Place): string {
  const found = maps.flatMap((map) => {
    const entry = map.findEntry(line - 1, Math.max(0, column - 1));
    if (!("originalSource" in entry)) return [];
    const source = entry.originalSource.replace(/^(\.\.\/)*/, "");
    const text = lineOf(source, entry.originalLine);
    const hits = [...keys].filter((key) => key !== "" && text.includes(key)).length;
    return [{ at: `${source}:${entry.originalLine + 1}`, text: text.trim(), hits }];
  });
  const [best] = found.toSorted((a, b) => b.hits - a.hits);
  return best === undefined || best.hits === 0 ? `${line}:${column}` : `${best.at}  ${best.text}`;
}

const [log] = process.argv.slice(2);
if (log === undefined) {
  console.error("usage: npx tsx scripts/hidden-classes.ts LOG");
  process.exit(2);
}
const shown = (await placesOf(log)).slice(0, shownMax);
const lines = shown.map((place) => `${String(place.count).padStart(8)}  ${sourceOf(place)}`);
console.log(lines.join("\n"));
