// Several processes on one simulated Host: they share time and words, but each draws chance of its own, as two machines
// would. Without it two API servers would make the same UIDs.
import type { Host } from "../host.ts";

/** `name` goes before every stream's name and stands in every log line. */
export function scopedHost(host: Host, name: string): Host {
  const { clock, digest, random, log } = host;
  return {
    clock,
    digest,
    random: { stream: (stream) => random.stream(`${name}/${stream}`) },
    log: {
      info: (message, fields) => log.info(message, { process: name, ...fields }),
      warn: (message, fields) => log.warn(message, { process: name, ...fields }),
      error: (message, fields) => log.error(message, { process: name, ...fields }),
    },
  };
}
