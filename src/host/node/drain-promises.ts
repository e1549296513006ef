// The one thing a simulation's driver needs of the engine: when all promises that can settle have settled.

/** Node runs every pending promise job before the next immediate. */
export function drainPromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
