// The programs that a simulated container has. Each yields its effects and returns its exit code; none touches anything
// real.
import { formatTime } from "../../api/codec/time.ts";
import { fileHolds, filePrograms } from "./file-programs.ts";
import type { Program, Running, ShellScope } from "./shell-effect.ts";

const units: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3_600, d: 86_400 };
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const seqMax = 10_000;

export const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...filePrograms,
  ["true", () => ended(0)],
  [":", () => ended(0)],
  ["false", () => ended(1)],
  ["set", () => ended(0)],
  ["trap", () => ended(0)],
  ["echo", echo],
  ["printf", printf],
  ["env", env],
  ["printenv", printenv],
  ["export", assign],
  ["hostname", (_args, { world }) => say(`${world.hostname}\n`)],
  ["whoami", () => say("root\n")],
  ["id", () => say("uid=0(root) gid=0(root) groups=0(root)\n")],
  [
    "uname",
    (args, { world }) =>
      say(args.includes("-a") ? `Linux ${world.hostname} 6.8.0 x86_64 GNU/Linux\n` : "Linux\n"),
  ],
  ["date", date],
  ["sleep", sleep],
  ["seq", seq],
  ["test", (args, shell) => ended(holds(args, shell) ? 0 : 1)],
  [
    "[",
    (args, shell) => ended(args.at(-1) === "]" ? (holds(args.slice(0, -1), shell) ? 0 : 1) : 2),
  ],
]);

// oxlint-disable-next-line require-yield -- it has no effect but its exit code
function* ended(code: number): Running {
  return code;
}

function* say(text: string): Running {
  yield { is: "write", to: 1, text };
  return 0;
}

function* complain(text: string): Running {
  yield { is: "write", to: 2, text };
  return 1;
}

function* echo(args: readonly string[]): Running {
  let from = 0;
  while (/^-[neE]+$/.test(args[from] ?? "")) from++;
  const flags = args.slice(0, from).join("");
  const text = args.slice(from).join(" ");
  const shown = flags.includes("e") ? unescaped(text) : text;
  return yield* say(flags.includes("n") ? shown : `${shown}\n`);
}

function unescaped(text: string): string {
  const known: Readonly<Record<string, string>> = {
    n: "\n",
    t: "\t",
    r: "\r",
    "\\": "\\",
    "0": "\0",
  };
  return text.replace(/\\([ntr\\0])/g, (_all, letter: string) => known[letter] ?? "");
}

function* printf([format = "", ...args]: readonly string[]): Running {
  let next = 0;
  const text = unescaped(format).replace(/%([sd%])/g, (_all, letter: string) => {
    if (letter === "%") return "%";
    const given = args[next++] ?? "";
    return letter === "d" ? String(Number.parseInt(given, 10) || 0) : given;
  });
  return yield* say(text);
}

function* env(_args: readonly string[], { variables }: ShellScope): Running {
  const lines = [...variables].map(([name, value]) => `${name}=${value}\n`);
  return yield* say(lines.join(""));
}

function* printenv(args: readonly string[], shell: ShellScope): Running {
  if (args.length === 0) return yield* env(args, shell);
  const value = shell.variables.get(args[0]!);
  return value === undefined ? 1 : yield* say(`${value}\n`);
}

function assign(args: readonly string[], { variables }: ShellScope): Running {
  for (const arg of args) {
    const at = arg.indexOf("=");
    if (at > 0) variables.set(arg.slice(0, at), arg.slice(at + 1));
  }
  return ended(0);
}

function* date(args: readonly string[]): Running {
  const ms = Number(yield { is: "now" });
  const seconds = Math.floor(ms / 1_000);
  const format = args.find((arg) => arg.startsWith("+"));
  if (format === "+%s") return yield* say(`${seconds}\n`);
  const iso = formatTime({ seconds, nanos: 0 }) ?? "";
  const time = iso.slice(11, 19);
  if (format === undefined) {
    const at = new Date(seconds * 1_000);
    const day = String(at.getUTCDate()).padStart(2, " ");
    const text = `${days[at.getUTCDay()]} ${months[at.getUTCMonth()]} ${day} ${time} UTC`;
    return yield* say(`${text} ${iso.slice(0, 4)}\n`);
  }
  const text = format
    .slice(1)
    .replaceAll("%F", iso.slice(0, 10))
    .replaceAll("%T", time)
    .replaceAll("%s", String(seconds));
  return yield* say(`${text}\n`);
}

function* sleep([argument = ""]: readonly string[]): Running {
  if (argument === "infinity") yield { is: "sleep", ms: Number.POSITIVE_INFINITY };
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(argument) ?? [];
  if (amount === undefined) return yield* complain(`sleep: invalid number '${argument}'\n`);
  yield { is: "sleep", ms: Number(amount) * (units[unit] ?? 1) * 1_000 };
  return 0;
}

function* seq(args: readonly string[]): Running {
  const numbers = args.map(Number);
  const last = numbers.at(-1) ?? 0;
  const first = numbers.length > 1 ? numbers[0]! : 1;
  const step = numbers.length > 2 ? numbers[1]! : 1;
  if (!(step > 0)) return 1;
  let text = "";
  for (let at = first, count = 0; at <= last && count < seqMax; at += step, count++)
    text += `${at}\n`;
  return yield* say(text);
}

/** `test`: what is there, what is empty, what is the same, what is more. */
function holds(args: readonly string[], shell: ShellScope): boolean {
  if (args[0] === "!")
    return !args.slice(1).every((arg) => arg === "") && !holds1(args.slice(1), shell);
  return holds1(args, shell);
}

function holds1(args: readonly string[], shell: ShellScope): boolean {
  const [left = "", operator = "", right = ""] = args;
  if (args.length === 1) return left !== "";
  if (args.length === 2) {
    if (left === "-z") return operator === "";
    if (left === "-n") return operator !== "";
    return fileHolds(left, operator, shell);
  }
  const [a, b] = [Number(left), Number(right)];
  switch (operator) {
    case "=":
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "-eq":
      return a === b;
    case "-ne":
      return a !== b;
    case "-lt":
      return a < b;
    case "-le":
      return a <= b;
    case "-gt":
      return a > b;
    case "-ge":
      return a >= b;
    default:
      return false;
  }
}
