// The ports through which time, chance and words to the operator enter. Everything that is not a pure
// function of its arguments comes from here; host/node has the real ones, host/simulated the seeded ones.

export interface Host {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly digest: Digest;
}

/** Ends a timer, a watch or a subscription; calling it twice is harmless. */
export type Cancel = () => void;

export interface Clock {
  /** Wall time in ms since 1970-01-01T00:00:00Z. May jump. */
  now(): number;
  /** Milliseconds (fractional) since some fixed point; never goes back. For durations. */
  monotonic(): number;
  /** Calls `fn` once after `ms`. Does not keep the process alive. */
  after(ms: number, fn: () => void): Cancel;
  /** Resolves in a later turn of the event loop, after pending IO had its chance (setImmediate). */
  turn(): Promise<void>;
}

export interface Random {
  /** The same seed and name give the same stream; a new draw in one stream never shifts another. */
  stream(name: string): RandomStream;
}

export interface RandomStream {
  /** Uniform in [0, 1). */
  unit(): number;
  /** Uniform integer in [0, limit), limit <= 2^32. */
  below(limit: number): number;
  /** For keys, tokens and UIDs: cryptographically strong on the real host. */
  bytes(count: number): Uint8Array;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Structured lines for the operator. Never pass secrets, tokens or object bodies. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Pure, but native code does it well. */
export interface Digest {
  sha256(bytes: Uint8Array): Uint8Array;
  sha512(bytes: Uint8Array): Uint8Array;
}
