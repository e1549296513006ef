import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RotationLimits, RotatingFile } from "./rotating-file.ts";

describe("RotatingFile", () => {
  let folder: string;
  let now: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wavetank-rotate-"));
    now = Date.parse("2026-01-02T03:04:05.678Z");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (limits: Partial<RotationLimits>): RotatingFile => {
    const all = { bytesMax: 10, ageDaysMax: 0, backupsMax: 0, ...limits };
    return new RotatingFile(join(folder, "audit.log"), all, () => now);
  };

  it("sets a full file aside under the time's name", () => {
    const file = open({});
    for (const line of ["one\n", "two\n", "three\n"]) file.write(line);
    file.close();
    expect(readdirSync(folder).sort()).toEqual(["audit-2026-01-02T03-04-05.678.log", "audit.log"]);
    expect(readFileSync(join(folder, "audit-2026-01-02T03-04-05.678.log"), "utf8")).toBe(
      "one\ntwo\n",
    );
    expect(readFileSync(join(folder, "audit.log"), "utf8")).toBe("three\n");
  });

  it("goes on with a file that is there, and never rotates with 0", () => {
    writeFileSync(join(folder, "audit.log"), "before\n");
    const file = open({ bytesMax: 0 });
    for (let i = 0; i < 10; i++) file.write("0123456789\n");
    file.close();
    expect(readdirSync(folder)).toEqual(["audit.log"]);
    expect(readFileSync(join(folder, "audit.log"), "utf8")).toMatch(/^before\n0123/);
  });

  it.each<[string, Partial<RotationLimits>, number]>([
    ["at most so many", { backupsMax: 2 }, 2],
    ["none older", { ageDaysMax: 3 }, 4],
  ])("keeps %s", (_, limits, left) => {
    writeFileSync(join(folder, "audit-notes.log"), "not ours");
    const file = open(limits);
    for (let day = 0; day < 6; day++) {
      now += 86_400_000;
      file.write("0123456789\n");
    }
    file.close();
    const backups = readdirSync(folder).filter((name) => name.startsWith("audit-2026"));
    expect(backups.length).toBe(left);
    expect(readdirSync(folder)).toContain("audit-notes.log");
  });

  it("goes on in a new file when somebody took the old one and its folder away", () => {
    const file = open({});
    file.write("one\n");
    rmSync(folder, { recursive: true });
    file.write("0123456789\n");
    expect(readFileSync(join(folder, "audit.log"), "utf8")).toBe("0123456789\n");
    file.close();
  });

  it("leaves files alone that got its number when a rotation failed", () => {
    const file = open({});
    file.write("one\n");
    // Nothing can be made in a folder that is a file.
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    expect(() => file.write("0123456789\n")).toThrow(/EEXIST|ENOTDIR/);
    const others = [1, 2, 3].map((name) => openSync(`${folder}-${name}`, "w"));
    expect(() => file.write("0123456789\n")).toThrow(/EEXIST|ENOTDIR/);
    for (const other of others) expect(fstatSync(other).size).toBe(0);
    for (const other of others) closeSync(other);
    for (const name of [1, 2, 3]) rmSync(`${folder}-${name}`);
    file.close();
  });

  it("writes nothing when it is closed", () => {
    const file = open({});
    file.close();
    expect(() => file.write("late\n")).toThrow("closed");
    file.close();
  });
});
