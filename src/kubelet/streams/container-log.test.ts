import { describe, expect, it } from "vitest";
import type { LogOptions } from "../../api/node-streams.ts";
import type { Container, Pod } from "../../api/types/core-v1.ts";
import { decodeUtf8 } from "../../std/utf8.ts";
import { type LogLine, linesMax, logOf } from "./container-log.ts";
import { LineTape } from "./line-tape.ts";
import { LogPrinter, isWanted, lastOf } from "./log-reader.ts";

const start = Date.UTC(2026, 0, 1);

function pod(
  container: Partial<Container>,
  annotations: Record<string, string> = {},
): [Pod, Container] {
  const whole: Container = { name: "c", image: "i", ...container };
  return [{ metadata: { name: "p", annotations }, spec: { containers: [whole] } }, whole];
}

function linesUntil(ms: number, of: [Pod, Container]): LogLine[] {
  return [...new LineTape(logOf(...of, start)).until(start + ms)];
}

const texts = (lines: readonly LogLine[]): string[] =>
  lines.map(({ at, text, stream }) => `${at - start} ${stream === "Stderr" ? "! " : ""}${text}`);

describe("a log", () => {
  it.each([
    [
      "the usual",
      pod({}),
      25_000,
      [
        "0 c started in pod p (i)",
        "10000 c has been running for 10 s",
        "20000 c has been running for 20 s",
      ],
    ],
    ["what is said", pod({}, { "wavetank.dev/log": "a\nb" }), 99_000, ["0 a", "0 b"]],
    [
      "what is said again and again of this container",
      pod({}, { "wavetank.dev/log.c": "a", "wavetank.dev/log-period-seconds": "2" }),
      5_000,
      ["0 a", "2000 a", "4000 a"],
    ],
    [
      "a command",
      pod({ command: ["sh", "-c"], args: ["echo a; sleep 3; echo b >&2; echo -n c"] }),
      5_000,
      ["0 a", "3000 ! b", "3000 c"],
    ],
    [
      "a command, half-way",
      pod({ command: ["sh", "-c", "echo a; sleep 3; echo b"] }),
      2_000,
      ["0 a"],
    ],
    ["a program without words", pod({ command: ["sleep", "infinity"] }), 99_000, []],
    [
      "a loop that does nothing",
      pod({ command: ["sh", "-c", "while true; do true; done"] }),
      9_000,
      [],
    ],
  ])("is %s", (_name, of, ms, wanted) => {
    expect(texts(linesUntil(ms, of))).toEqual(wanted);
  });

  it("ends somewhere", () => {
    const endless = pod({ command: ["sh", "-c", "while true; do echo x; done"] });
    expect(linesUntil(0, endless)).toHaveLength(linesMax);
  });
});

describe("reading", () => {
  const all: LogOptions = {
    follow: false,
    previous: false,
    timestamps: false,
    since: undefined,
    tailLines: undefined,
    limitBytes: undefined,
    stream: "All",
  };
  const lines: LogLine[] = [
    { at: start, text: "one", stream: "Stdout" },
    { at: start + 1_500, text: "zwö", stream: "Stderr" },
    { at: start + 2_000, text: "three", stream: "Stdout" },
  ];

  it.each<[Partial<LogOptions>, string]>([
    [{}, "one\nzwö\nthree\n"],
    [{ tailLines: 2 }, "zwö\nthree\n"],
    [{ tailLines: 0 }, ""],
    [{ tailLines: 9 }, "one\nzwö\nthree\n"],
    [{ since: start + 1_500 }, "zwö\nthree\n"],
    [{ stream: "Stderr" }, "zwö\n"],
    [{ limitBytes: 6 }, "one\nzw"],
    [{ timestamps: true, tailLines: 1 }, "2026-01-01T00:00:02.000000000Z three\n"],
    [{ timestamps: true, stream: "Stderr" }, "2026-01-01T00:00:01.500000000Z zwö\n"],
  ])("%j", (asked, wanted) => {
    const options = { ...all, ...asked };
    const kept = lastOf(
      lines.filter((line) => isWanted(line, options)),
      options,
    );
    const chunks = [...new LogPrinter(options).chunks(kept)];
    expect(chunks.map(({ bytes }) => decodeUtf8(bytes)).join("")).toBe(wanted);
  });
});
