// One client of a population while it lives: its calls, its name, its chance, and the meter that counts what it does.
import type { StatusError } from "../api/meta/errors.ts";
import { ApiCaller, type Call } from "../client/api-caller.ts";
import type { Identity, ImpersonatedUser } from "../client/identity.ts";
import type { ConnectionError } from "../host/http.ts";
import type { Transport } from "../client/transport.ts";
import { AbortedError, abortable } from "../client/waiting.ts";
import type { Host } from "../host/host.ts";
import type { ClientLibrary } from "./client-library.ts";
import type { PopulationMeter } from "./meter.ts";
import type { Population, PopulationIdentity } from "./population.ts";
import { addressOfName } from "./resource-address.ts";
import { StreamedResource, drain } from "./streamed-resource.ts";
import { type TemplateValues, fill } from "./template.ts";
import { isCallFailure } from "../client/reason.ts";

export interface MemberOptions {
  readonly population: Population;
  readonly index: number;
  readonly library: ClientLibrary;
  readonly meter: PopulationMeter;
  /** Counts already. */
  readonly transport: Transport;
  readonly identity: Identity;
  readonly signal: AbortSignal;
}

export class Member {
  /** Its chance is its own: two members never draw the same delays. */
  readonly host: Host;
  readonly library: ClientLibrary;
  readonly meter: PopulationMeter;
  readonly signal: AbortSignal;
  readonly values: TemplateValues;
  readonly caller: ApiCaller;

  constructor(host: Host, options: MemberOptions) {
    const { population, index, library, meter, transport, identity, signal } = options;
    const { clock, log, digest, random } = host;
    const own = `fleet/${population.name}/${index}`;
    this.host = {
      clock,
      log,
      digest,
      random: { stream: (name) => random.stream(`${own}/${name}`) },
    };
    this.library = library;
    this.meter = meter;
    this.signal = signal;
    this.values = valuesOf(population, index);
    this.caller = new ApiCaller(this.host, transport, {
      userAgent: fill(population.userAgent, this.values),
      identity,
      rateLimit: population.rateLimit,
      retriesMax: library.retriesMax,
    });
  }

  resource(name: string): StreamedResource {
    return new StreamedResource({
      caller: this.caller,
      address: addressOfName(name),
      clock: this.host.clock,
      meter: this.meter,
      listTimeoutMs: this.library.listTimeoutMs,
    });
  }

  /** Makes the call and reads its answer away. What went wrong, which the meter knows already; AbortedError is thrown. */
  async attempt(call: Call): Promise<StatusError | ConnectionError | undefined> {
    return this.outcome(async () => {
      const response = await abortable(this.caller.answer(call, this.signal), this.signal);
      await drain(response.body, this.signal, () => undefined);
    });
  }

  /** What `work` fails with, if the server or the way to it is to blame. */
  async outcome(work: () => Promise<unknown>): Promise<StatusError | ConnectionError | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (this.signal.aborted) throw new AbortedError("stopped");
      if (isCallFailure(error)) return error;
      throw error;
    }
  }
}

export function valuesOf(population: Population, index: number): TemplateValues {
  return { index, node: nodeName(index, population.nodes) };
}

export function nodeName(index: number, nodes: number): string {
  return `node-${(index % nodes) + 1}`;
}

/** Undefined: nobody but itself. */
export function userOf(
  identity: PopulationIdentity,
  values: TemplateValues,
): ImpersonatedUser | undefined {
  if (identity.kind === "self") return undefined;
  if (identity.kind === "user")
    return { name: fill(identity.name, values), groups: identity.groups };
  const namespace = fill(identity.namespace, values);
  return {
    name: `system:serviceaccount:${namespace}:${fill(identity.name, values)}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}
