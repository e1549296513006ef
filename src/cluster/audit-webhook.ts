// The audit webhook: EventLists by POST, tried again while the receiver is away (upstream: plugin/pkg/audit/webhook).
// What is under way is bounded in bytes and ends soon after a stop.
import type { EventOutlet } from "../accounting/audit/event-outlet.ts";
import { eventList } from "../accounting/audit/event.ts";
import type { LostEvents } from "../accounting/audit/lost-events.ts";
import { readStart } from "../client/response-body.ts";
import type { Transport } from "../client/transport.ts";
import { pause, withDeadline } from "../client/waiting.ts";
import type { Host, RandomStream } from "../host/host.ts";
import { encodeUtf8 } from "../std/utf8.ts";
import { kubernetesVersion } from "../api/kubernetes-version.ts";

export interface WebhookParts {
  readonly host: Host;
  readonly transport: Transport;
  readonly lost: LostEvents;
  /** --audit-webhook-initial-backoff */
  readonly initialBackoffMs: number;
  /** Called when nothing is sent any more. */
  readonly close: () => void;
}

/** As upstream: five tries, each half as long again after the one before, and up to a fifth more by chance. */
const triesMax = 5;
const backoffFactor = 1.5;
const backoffJitter = 0.2;
/** For one try, its answer included. */
const tryMs = 30_000;
/** What is not accepted by then is lost: a stop is not held up by a receiver that hangs. */
const closeMs = 5_000;
/** Of an answer; of a longer one no more is read. */
const answerBytesMax = 65_536;
const underWayBytesMax = 64 * 1_048_576;

export class AuditWebhook implements EventOutlet {
  readonly #parts: WebhookParts;
  readonly #random: RandomStream;
  readonly #underWay = new Set<Promise<boolean>>();
  /** Ends the waits between tries. */
  readonly #closing = new AbortController();
  /** Ends the tries. */
  readonly #ended = new AbortController();
  #bytes = 0;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#random = parts.host.random.stream("audit-webhook");
  }

  write(events: readonly string[]): boolean | Promise<boolean> {
    const body = encodeUtf8(eventList(events));
    if (this.#bytes > 0 && this.#bytes + body.length > underWayBytesMax)
      return this.#lose(events.length, "too many events are under way");
    this.#bytes += body.length;
    const sending = this.#send(body, events.length).finally(() => {
      this.#bytes -= body.length;
      this.#underWay.delete(sending);
    });
    this.#underWay.add(sending);
    return sending;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const cancel = this.#parts.host.clock.after(closeMs, () => this.#ended.abort());
    await Promise.all(this.#underWay);
    cancel();
    this.#parts.close();
  }

  async #send(body: Uint8Array, count: number): Promise<boolean> {
    let backoffMs = this.#parts.initialBackoffMs;
    for (let tries = 1; ; tries++) {
      const last = tries === triesMax || this.#closing.signal.aborted;
      const failure = await this.#try(body);
      if (failure === undefined) return true;
      if (last || this.#ended.signal.aborted) return this.#lose(count, failure.why);
      const jittered = backoffMs * (1 + this.#random.unit() * backoffJitter);
      await this.#rest(Math.max(jittered, failure.retryAfterMs));
      backoffMs *= backoffFactor;
    }
  }

  #lose(count: number, why: string): false {
    this.#parts.lost.add("webhook", count, why);
    return false;
  }

  /** A stop ends the wait: there is one more try then. */
  async #rest(ms: number): Promise<void> {
    await pause(this.#parts.host.clock, ms, this.#closing.signal).catch(() => undefined);
  }

  async #try(body: Uint8Array): Promise<Failure | undefined> {
    const deadline = withDeadline(this.#parts.host.clock, tryMs, this.#ended.signal);
    try {
      const answer = await this.#parts.transport(post(body, deadline.signal));
      const text = await readStart(answer.body, deadline.signal, answerBytesMax);
      const { status, headers } = answer;
      // What Go's client takes for success.
      if (status >= 200 && status <= 206) return undefined;
      const seconds = Number(headers.find(([name]) => name === "retry-after")?.[1] ?? 0);
      return {
        why: `the webhook answered ${status}: ${text.slice(0, wordsMax)}`,
        retryAfterMs: seconds > 0 && seconds <= retryAfterSecondsMax ? seconds * 1_000 : 0,
      };
    } catch (error) {
      const why = deadline.signal.aborted ? "no answer in time" : String(error);
      return { why, retryAfterMs: 0 };
    } finally {
      deadline.cancel();
    }
  }
}

/** Of a refusal, in the log. */
const wordsMax = 200;
/** A receiver that asks for more waits in vain: our buffer does not last so long. */
const retryAfterSecondsMax = 60;

interface Failure {
  readonly why: string;
  readonly retryAfterMs: number;
}

function post(body: Uint8Array, signal: AbortSignal): Parameters<Transport>[0] {
  const headers = {
    accept: "application/json, */*",
    "content-type": "application/json",
    "user-agent": `kube-apiserver/${kubernetesVersion}`,
  };
  return {
    method: "POST",
    // Go's client tells the receiver how long it waits.
    target: `?timeout=${tryMs / 1_000}s`,
    headers,
    repeated: () => [],
    body: { read: () => Promise.resolve(body) },
    peer: { address: "" },
    signal,
  };
}
