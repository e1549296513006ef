// Which standard streams of a process a client wants. Throws 400 when it is none. Pure.
import { badRequest } from "../../api/meta/errors.ts";
import type { Query } from "../query.ts";

export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export function wantedStreams(query: Query): WantedStreams {
  const flag = (name: string): boolean => query.flag(name) ?? false;
  const tty = flag("tty");
  // A terminal has one output.
  const wanted = {
    stdin: flag("stdin"),
    stdout: flag("stdout"),
    stderr: flag("stderr") && !tty,
    tty,
  };
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr)
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  return wanted;
}
