import { describe, expect, it } from "vitest";
import { decodeUtf8 } from "../../std/utf8.ts";
import { FileBudget, FileTree, putText } from "./file-tree.ts";
import { Shell } from "./shell.ts";
import type { Running, ShellWorld } from "./shell-effect.ts";

const files = new FileTree(new FileBudget(1_000_000));
putText(files, "/etc/hostname", "web\n");

const world: ShellWorld = {
  hostname: "web",
  environment: new Map([
    ["COLOUR", "blue"],
    ["TWO", "a b"],
  ]),
  files,
  folder: "/",
  tty: false,
};

interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  readonly sleptMs: number;
}

/** Carries the effects out on plain strings; at most so many of them. */
function outcomeOf(script: Running, input = "", effectsMax = 10_000): Outcome {
  const lines = input.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const written = { 1: "", 2: "" };
  let sleptMs = 0;
  let step = script.next("");
  for (let count = 0; step.done !== true; count++) {
    if (count === effectsMax) return { out: written[1], err: written[2], code: -1, sleptMs };
    const effect = step.value;
    let answer = "";
    if (effect.is === "write") written[effect.to] += effect.text;
    if (effect.is === "send") written[effect.to] += decodeUtf8(effect.bytes);
    if (effect.is === "sleep") sleptMs += effect.ms;
    if (effect.is === "now") answer = String(Date.UTC(2026, 0, 5, 7, 8, 9));
    if (effect.is === "read" || effect.is === "copy" || effect.is === "take")
      answer = lines.shift() ?? "";
    if (effect.is === "copy") written[effect.to] += answer;
    step = script.next(answer);
  }
  return { out: written[1], err: written[2], code: step.value, sleptMs };
}

function run(script: string, input = ""): Outcome {
  return outcomeOf(new Shell(world).program(["sh", "-c", script])!, input);
}

describe("a script", () => {
  it.each([
    ["echo hello   world", "hello world\n"],
    ["echo 'a  b' \"c  d\" e\\ f", "a  b c  d e f\n"],
    ["echo $COLOUR ${COLOUR}ish '$COLOUR' \"$COLOUR\"", "blue blueish $COLOUR blue\n"],
    ["echo -n a; echo -e 'b\\tc'", "ab\tc\n"],
    ["printf '%s=%d\\n' x 7", "x=7\n"],
    ["true && echo yes || echo no", "yes\n"],
    ["false && echo yes || echo no", "no\n"],
    ["x=1; x=$((x * 2 + 3)); echo $x", "5\n"],
    ["echo $((10 - 2 - 3)) $((7 / 2)) $((1 < 2))", "5 3 1\n"],
    ['echo "now: $(date)"', "now: Mon Jan  5 07:08:09 UTC 2026\n"],
    ["date +%FT%T", "2026-01-05T07:08:09\n"],
    ["for i in 1 2 $(seq 3 4); do echo -n $i,; done", "1,2,3,4,"],
    ["for w in $TWO; do echo [$w]; done", "[a]\n[b]\n"],
    ['for w in "$TWO"; do echo [$w]; done', "[a b]\n"],
    ["i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n"],
    ['if test -z "$NONE"; then echo empty; else echo full; fi', "empty\n"],
    ["if false; then echo 1; elif true; then echo 2; fi", "2\n"],
    ['A=1 env; echo "[$A]"', "COLOUR=blue\nTWO=a b\nA=1\n[]\n"],
    ["cat /etc/hostname; hostname; whoami", "web\nweb\nroot\n"],
    ["ls /etc; ls -la /tmp", "hostname\n"],
    ["echo gone > /dev/null; echo kept # not this", "kept\n"],
    ["sh -c 'echo $0' inner", "inner\n"],
    ["echo a\necho b\\\nc", "a\nbc\n"],
  ])("%s", (script, out) => {
    expect(run(script)).toEqual({ out, err: "", code: 0, sleptMs: 0 });
  });

  it.each([
    ["exit 3; echo never", "", 3],
    ["exit 300", "", 44],
    ["sh -c 'exit 4'; exit $?", "", 4],
    ["false", "", 1],
    ["nosuch", "sh: nosuch: not found\n", 127],
    ["echo wrong >&2", "wrong\n", 0],
    ["cat /nosuch", "cat: can't open '/nosuch': No such file or directory\n", 1],
    ["echo 'open", "sh: unterminated quoted string\n", 2],
    ["echo a | cat", 'sh: syntax error: unexpected "|"\n', 2],
    ["cat < /tmp/file", 'sh: syntax error: unexpected "<"\n', 2],
    ["while true; do echo", 'sh: syntax error: unexpected end (expecting "done")\n', 2],
    ["sleep x", "sleep: invalid number 'x'\n", 1],
  ])("%s ends so", (script, err, code) => {
    expect(run(script)).toMatchObject({ err, code });
  });

  it("sleeps", () => {
    expect(run("sleep 1; sleep 0.5; sleep 2m").sleptMs).toBe(121_500);
  });

  it("copies and reads its standard input", () => {
    expect(run("cat", "one\ntwo").out).toBe("one\ntwo");
    const shell = new Shell(world).program(["/bin/sh"])!;
    expect(outcomeOf(shell, "x=5\necho $x\nexit 9\necho never\n")).toMatchObject({
      out: "5\n",
      code: 9,
    });
  });

  it("can be stopped between any two commands although it never writes", () => {
    expect(run("while true; do true; done").code).toBe(-1);
  });

  it("neither nests without end nor swallows a long script", () => {
    expect(run(`${"$(".repeat(60)}true${")".repeat(60)}`)).toMatchObject({ code: 2 });
    expect(run("a".repeat(70_000))).toMatchObject({ code: 2, err: "sh: script too long\n" });
  });
});

it("has no program that it does not know", () => {
  expect(new Shell(world).program(["nosuch"])).toBeUndefined();
});

describe("files", () => {
  it.each([
    ["echo one > /tmp/a; echo two >> /tmp/a; cat /tmp/a", "one\ntwo\n"],
    ["cat > /tmp/b; cat /tmp/b", "typed\n"],
    ["mkdir -p /data/x/y && cd /data/x && pwd && ls", "/data/x\ny\n"],
    ["cd /tmp; touch f; [ -f f ] && [ -f ../tmp/f ] && [ ! -d f ] && echo there", "there\n"],
    [
      "mkdir /tmp/d; echo x > /tmp/d/f; rm -r /tmp/d; ls /tmp/d 2>&1",
      "ls: /tmp/d: No such file or directory\n",
    ],
    ["ls /nosuch > /tmp/e 2>&1; cat /tmp/e", "ls: /nosuch: No such file or directory\n"],
    ["echo x > /no/such 2>&1; echo $?", "1\n"],
    ["rm /tmp; echo $?; rm -rf /; echo $?", "1\n1\n"],
    ["echo $(cat /etc/hostname)!", "web!\n"],
  ])("%s", (script, out) => {
    expect(run(script, "typed\n").out).toBe(out);
  });

  it("say why not", () => {
    expect(run("cat /nosuch; mkdir /tmp; echo x > /etc").err).toBe(
      "cat: can't open '/nosuch': No such file or directory\n" +
        "mkdir: can't create directory '/tmp': File exists\n" +
        "sh: can't create /etc: Is a directory\n",
    );
  });
});
