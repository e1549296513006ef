// `tar c`, `tar x` and `tar t` on standard output and input: what `kubectl cp` runs in a container.
import { ByteGatherer } from "../../std/byte-gatherer.ts";
import { type FileTree, parentOf, resolvePath } from "./file-tree.ts";
import { type Running, type ShellScope, bytesOfTaken } from "./shell-effect.ts";
import {
  type TarHeader,
  longNameOf,
  paddingOf,
  readTarHeader,
  tarBlockBytes,
  tarEnd,
  tarEntry,
} from "./tar.ts";

interface Asked {
  /** The letters of the first word, and of others that begin with a dash. */
  readonly letters: string;
  readonly folder: string;
  readonly names: readonly string[];
}

/** A single file that is longer is passed over: no container holds it. */
const entryBytesMax = 33_554_432;
const failed = 2;

export function* tar(args: readonly string[], shell: ShellScope): Running {
  const asked = read(args, shell.folder);
  const folder = shell.world.files.find(asked.folder);
  if (folder === undefined || folder.bytes !== undefined) {
    const why = folder === undefined ? "No such file or directory" : "Not a directory";
    yield { is: "write", to: 2, text: `tar: ${asked.folder}: Cannot open: ${why}\n` };
    return yield* fail("Error is not recoverable: exiting now");
  }
  if (asked.letters.includes("c")) return yield* create(shell.world.files, asked);
  if (asked.letters.includes("x") || asked.letters.includes("t"))
    return yield* extract(shell.world.files, asked);
  return yield* fail("You must specify one of the '-ctx' options");
}

function* fail(text: string): Running {
  yield { is: "write", to: 2, text: `tar: ${text}\n` };
  return failed;
}

/** `cf - a b`, `-xmf - -C /folder`, with long options that change nothing here. */
function read(args: readonly string[], from: string): Asked {
  const names: string[] = [];
  let letters = "";
  let folder = from;
  const rest = [...args];
  for (let first = true; rest.length > 0; first = false) {
    const word = rest.shift() ?? "";
    if (word === "-C" || word === "--directory") folder = resolvePath(folder, rest.shift() ?? "");
    else if (word.startsWith("--directory=")) folder = resolvePath(folder, word.slice(12));
    else if (word.startsWith("--")) continue;
    else if (first || /^-[A-Za-z]/.test(word)) {
      letters += word.replace(/^-/, "");
      // The archive: always a standard stream.
      if (word.includes("f")) rest.shift();
    } else names.push(word);
  }
  return { letters, folder, names };
}

function* create(files: FileTree, { folder, names }: Asked): Running {
  let code = 0;
  let told = false;
  for (const name of names) {
    const path = resolvePath(folder, name);
    const entries = files.under(path);
    if (entries.length === 0) code = yield* fail(`${name}: Cannot stat: No such file or directory`);
    const shown = name.replace(/^\/+/, "").replace(/(?<=.)\/+$/, "") || ".";
    if (name.startsWith("/") && entries.length > 0 && !told) {
      told = true;
      yield { is: "write", to: 2, text: "tar: Removing leading `/' from member names\n" };
    }
    for (const entry of entries) {
      const below = entry.path.slice(path === "/" ? 1 : path.length + 1);
      const inArchive = below === "" ? shown : `${shown}/${below}`;
      yield { is: "send", to: 1, bytes: tarEntry(entry, inArchive) };
    }
  }
  yield { is: "send", to: 1, bytes: tarEnd };
  return code === 0 ? 0 : yield* fail("Exiting with failure status due to previous errors");
}

function* extract(files: FileTree, asked: Asked): Running {
  const input = new TarInput();
  let code = 0;
  let longName: string | undefined;
  for (;;) {
    const block = yield* input.take(tarBlockBytes);
    if (block === undefined) break;
    const header = headerOf(block);
    if (header === "bad") return yield* fail("This does not look like a tar archive");
    if (header === undefined) break;
    const content = yield* input.content(header.size);
    if (content === undefined) return yield* fail("Unexpected EOF in archive");
    if (header.kind === "pax" || header.kind === "long name") {
      longName = longNameOf(header.kind, content);
      continue;
    }
    const name = longName ?? header.name;
    longName = undefined;
    if (asked.letters.includes("t")) yield { is: "write", to: 1, text: `${name}\n` };
    else code = (yield* put(files, asked, { ...header, name, content })) || code;
  }
  yield* input.drain();
  return code === 0 ? 0 : yield* fail("Exiting with failure status due to previous errors");
}

function headerOf(block: Uint8Array): TarHeader | "bad" | undefined {
  try {
    return readTarHeader(block);
  } catch (error) {
    if (error instanceof RangeError) return "bad";
    throw error;
  }
}

interface Entry extends TarHeader {
  readonly content: Uint8Array;
}

function* put(files: FileTree, { folder, letters }: Asked, entry: Entry): Running {
  const { name, kind, content, mode, size } = entry;
  const modified = letters.includes("m")
    ? Math.floor(Number(yield { is: "now" }) / 1_000)
    : entry.modified;
  // Names never lead out of the folder.
  const path = resolvePath(folder, `./${resolvePath("/", name)}`);
  if (kind !== "file" && kind !== "folder") return 0;
  const into = kind === "folder" ? path : parentOf(path);
  const noFolder = files.makeFolders(into, modified);
  if (noFolder !== undefined) return yield* fail(`${name}: Cannot open: ${noFolder}`);
  if (kind === "folder") return 0;
  if (content.length < size) return yield* fail(`${name}: Cannot write: No space left on device`);
  const refusal = files.write(path, { bytes: content.slice(), modified, mode: mode & 0o777 });
  return refusal === undefined ? 0 : yield* fail(`${name}: Cannot open: ${refusal}`);
}

/** Standard input, in the lengths that an archive has. */
class TarInput {
  readonly #gathered = new ByteGatherer();

  /** Undefined when it ends before. */
  *take(count: number): Running<Uint8Array | undefined> {
    for (;;) {
      const bytes = this.#gathered.take(count);
      if (bytes !== undefined) return bytes;
      const taken = yield { is: "take" };
      if (taken === "") return undefined;
      this.#gathered.push(bytesOfTaken(taken));
    }
  }

  /** Without its padding; nothing of what is too long. */
  *content(size: number): Running<Uint8Array | undefined> {
    const whole = size + paddingOf(size);
    if (size <= entryBytesMax) return (yield* this.take(whole))?.subarray(0, size);
    for (let left = whole; left > 0; left -= tarBlockBytes)
      if ((yield* this.take(Math.min(left, tarBlockBytes))) === undefined) return undefined;
    return new Uint8Array(0);
  }

  /** Whoever writes wants all of it read. */
  *drain(): Running<void> {
    while ((yield { is: "take" }) !== "");
  }
}
