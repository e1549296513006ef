// The one thing a simulation's driver needs of the engine: when all promises that can settle have settled.
import type { DrainPromises } from "../simulated/driver.ts";

/** Node runs every pending promise job before the next immediate. */
export const drainPromises: DrainPromises = () => new Promise((resolve) => setImmediate(resolve));
