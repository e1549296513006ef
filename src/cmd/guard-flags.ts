// The flags of `wavetank up` that bound what clients may hold: connections, watches, time, bytes (docs/guards.md).
import { duration, wholeNumber } from "./argument.ts";
import { type Command, Option } from "commander";
import { type ServerLimits, serverLimitDefaults } from "../apiserver/parts.ts";
import { type ConnectionLimits, connectionLimitDefaults } from "../host/node/connection-limits.ts";
import type { GuardOptions } from "./options.ts";

export interface GuardFlags {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly http2MaxStreamsPerConnection?: number;
  readonly requestTimeout: number;
  readonly minRequestTimeout: number;
  readonly maxRequestBytes: number;
  readonly maxWatches: number;
  readonly maxWatchesPerUser: number;
  readonly watchStartsPerSecond: number;
}

export function addGuardFlags(command: Command): void {
  const { watches } = serverLimitDefaults;
  const count = (name: string, text: string, usual: number): void => {
    command.option(`--${name} <number>`, text, wholeNumber(0), usual);
  };
  count("max-connections", "connections at once", connectionLimitDefaults.connectionsMax);
  count(
    "max-connections-per-address",
    "connections at once of one address",
    connectionLimitDefaults.connectionsPerPeerMax,
  );
  command.option(
    "--http2-max-streams-per-connection <number>",
    "requests and watches at once on one connection; default: 100, up to 1.28: 250",
    wholeNumber(0),
  );
  const { requestTimeoutMs } = serverLimitDefaults;
  command.addOption(
    new Option("--request-timeout <time>", "how long a request may take: 60s, 2m")
      .argParser(duration)
      .default(requestTimeoutMs, `${requestTimeoutMs / 1_000}s`),
  );
  command.option(
    "--min-request-timeout <seconds>",
    "shortest life of a watch that names none; the longest is twice that",
    wholeNumber(0),
    serverLimitDefaults.minRequestTimeoutMs / 1_000,
  );
  count("max-request-bytes", "size of a request's body", serverLimitDefaults.bodyBytesMax);
  count("max-watches", "watches open at once; 0: any number", watches.watchesMax);
  count(
    "max-watches-per-user",
    "watches that one user has open; 0: any number",
    watches.watchesPerUserMax,
  );
  count(
    "watch-starts-per-second",
    "watches that one user may open a second, after a burst of twenty times that; 0: any number",
    watches.startsPerSecond,
  );
}

const burstSeconds = 20;

export function guardStartOptions(flags: GuardFlags): GuardOptions {
  const { http2MaxStreamsPerConnection: streamsMax } = flags;
  return {
    connectionLimits: {
      connectionsMax: flags.maxConnections,
      connectionsPerPeerMax: flags.maxConnectionsPerAddress,
      ...(streamsMax === undefined ? {} : { streamsMax }),
    },
    serverLimits: {
      requestTimeoutMs: flags.requestTimeout,
      minRequestTimeoutMs: flags.minRequestTimeout * 1_000,
      bodyBytesMax: flags.maxRequestBytes,
      watches: {
        watchesMax: flags.maxWatches,
        watchesPerUserMax: flags.maxWatchesPerUser,
        startsPerSecond: flags.watchStartsPerSecond,
        startsBurst: flags.watchStartsPerSecond * burstSeconds,
      },
    },
  };
}

/** `minor` decides the streams of a connection where nobody does. */
export function connectionLimitsOf(
  { connectionLimits = {} }: GuardOptions,
  streamsMax: number,
): ConnectionLimits {
  return { ...connectionLimitDefaults, streamsMax, ...connectionLimits };
}

export function serverLimitsOf({ serverLimits = {} }: GuardOptions): ServerLimits {
  return { ...serverLimitDefaults, ...serverLimits };
}
