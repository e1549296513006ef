// How a process ended: its exit code, or the StatusError why there was none.
import { StatusError } from "../../api/meta/errors.ts";
import type { ProcessSession, ProcessStreams } from "../../api/node-streams.ts";

export type ProcessEnd = number | StatusError;

export async function endOf(session: ProcessSession, streams: ProcessStreams): Promise<ProcessEnd> {
  try {
    return await session(streams);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}
