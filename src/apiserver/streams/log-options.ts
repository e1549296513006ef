// What a request for logs asks for, read and checked as upstream does (core/validation ValidatePodLogOptions). Pure.
import { badRequest, invalid } from "../../api/meta/errors.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
} from "../../api/meta/field-error.ts";
import { DecodeError } from "../../api/codec/decode-error.ts";
import { parseTime } from "../../api/codec/time.ts";
import type { LogOptions } from "../../api/node-streams.ts";
import type { Query } from "../query.ts";

const streams = ["All", "Stdout", "Stderr"] as const;

/** `now` in wall clock ms. Throws 400 for what cannot be read, 422 for what may not be. */
export function readLogOptions(query: Query, pod: string, now: number): LogOptions {
  const sinceSeconds = query.integer("sinceSeconds");
  const tailLines = query.integer("tailLines");
  const limitBytes = query.integer("limitBytes");
  const sinceTime = timeOf(query.first("sinceTime"));
  const asked = query.first("stream") ?? "All";
  const stream = streams.find((one) => one === asked);
  const errors = check({ sinceSeconds, sinceTime, tailLines, limitBytes, asked });
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, pod, errors);
  return {
    follow: query.flag("follow") ?? false,
    previous: query.flag("previous") ?? false,
    timestamps: query.flag("timestamps") ?? false,
    since: sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1_000,
    tailLines,
    limitBytes,
    stream: stream ?? "All",
  };
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    return parseTime(text).seconds * 1_000;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

interface Asked {
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly asked: string;
}

function check({ sinceSeconds, sinceTime, tailLines, limitBytes, asked }: Asked): FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalidValue("tailLines", tailLines, "must be greater than or equal to 0"));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalidValue("limitBytes", limitBytes, "must be greater than 0"));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(
      forbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified"),
    );
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalidValue("sinceSeconds", sinceSeconds, "must be greater than 0"));
  if (!streams.some((one) => one === asked)) errors.push(notSupported("stream", asked, streams));
  else if (asked !== "All" && tailLines !== undefined)
    errors.push(
      forbiddenField("", "`tailLines` and specific `stream` are mutually exclusive for now"),
    );
  return errors;
}
