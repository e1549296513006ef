// What commander is given to read an option's text: one way for each kind of value, and what was expected when it is none.
import { InvalidArgumentError } from "commander";

/** `wholeNumber(0, 65_535)`; without `max` up to 2^53 - 1. */
export function wholeNumber(min: number, max?: number): (text: string) => number {
  const most = max ?? Number.MAX_SAFE_INTEGER;
  const range = max === undefined ? `from ${min}` : `from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isSafeInteger(value) || value < min || value > most)
      throw new InvalidArgumentError(`it is a whole number ${range}.`);
    return value;
  };
}

/** `90`, `90s`, `500ms`, `5m`, `1h`, above 0 -> ms. */
export function duration(text: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = Number(count) * ({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit] ?? 0);
  if (!(ms > 0)) throw new InvalidArgumentError("a time is a number of seconds, or 90s, 5m, 1h.");
  return ms;
}

/** `a,b`; no item may be empty. */
export function commaList(text: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  if (items.some((item) => item === "")) throw new InvalidArgumentError("an item is empty.");
  return items;
}

/** Of an option that may be repeated. */
export function collected(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

export function jsonOnly(text: string): "json" {
  if (text !== "json") throw new InvalidArgumentError("the one format is json.");
  return text;
}

/** Of an option that may stand alone: `--x`, `--x=false`. */
export function boolean(text: string): boolean {
  if (text !== "true" && text !== "false")
    throw new InvalidArgumentError("it is either true or false.");
  return text === "true";
}

/** Above 0. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0) || value === Infinity) throw new InvalidArgumentError("it is a number above 0.");
  return value;
}
