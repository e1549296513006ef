// Whether a cron schedule can be read: five fields, or one of the @ words, in robfig/cron's dialect and complaints. When it
// fires next is another part's matter.

interface FieldBounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const days = "sun mon tue wed thu fri sat".split(" ");
const bounds: readonly FieldBounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const words: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);
const duration = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;

/** Undefined when the schedule is fine. */
export function scheduleComplaint(schedule: string): string | undefined {
  const text = schedule.replace(/^(?:TZ|CRON_TZ)=\S+\s+/, "");
  if (text.startsWith("@")) return wordComplaint(text);
  const fields = text.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== bounds.length) {
    return `expected exactly ${bounds.length} fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  for (const [i, field] of fields.entries()) {
    for (const part of field.split(",")) {
      const complaint = partComplaint(part, bounds[i]!);
      if (complaint !== undefined) return complaint;
    }
  }
  return undefined;
}

function wordComplaint(text: string): string | undefined {
  if (words.has(text)) return undefined;
  const every = "@every ";
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  if (duration.test(text.slice(every.length))) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(text.slice(every.length))}`;
}

/** One of `*`, `5`, `1-5`, each with an optional step `/2`. */
function partComplaint(part: string, field: FieldBounds): string | undefined {
  const [range = "", step, ...rest] = part.split("/");
  if (rest.length > 0) return `too many slashes: ${part}`;
  const [low = "", high, ...more] = range.split("-");
  if (more.length > 0) return `too many hyphens: ${part}`;
  const isStar = low === "*" || low === "?";
  const start = isStar ? field.min : numberOf(low, field);
  if (typeof start === "string") return start;
  const last =
    high === undefined ? (isStar || step !== undefined ? field.max : start) : numberOf(high, field);
  if (typeof last === "string") return last;
  if (start < field.min)
    return `beginning of range (${start}) below minimum (${field.min}): ${part}`;
  if (last > field.max) return `end of range (${last}) above maximum (${field.max}): ${part}`;
  if (start > last) return `beginning of range (${start}) beyond end of range (${last}): ${part}`;
  if (step === undefined) return undefined;
  const by = numberOf(step, { min: 1, max: field.max });
  if (typeof by === "string") return by;
  return by === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** A complaint when the text is no number of this field. */
function numberOf(text: string, field: FieldBounds): number | string {
  const name = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (name !== -1) return name + field.min;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
