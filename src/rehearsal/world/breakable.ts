// An exchange over a connection that can break in the middle: before the answer, or while its body is read.
import { type BodyStream, ConnectionError, type HttpResponse } from "../../host/http.ts";

/** Everything that breaks at one moment. An AbortSignal would do, but takes longer with every listener it has. */
export class BreakingPoint {
  readonly #broken = new Set<() => void>();
  #isBroken = false;

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** `fn` is called once, when it breaks; the result takes it back. */
  onBreak(fn: () => void): () => void {
    if (this.#isBroken) {
      fn();
      return () => undefined;
    }
    const own = (): void => fn();
    this.#broken.add(own);
    return () => void this.#broken.delete(own);
  }

  break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    const all = [...this.#broken];
    this.#broken.clear();
    for (const fn of all) fn();
  }
}

/** From the moment it breaks the reader of the answer knows. */
export async function breakable(
  answer: Promise<HttpResponse>,
  point: BreakingPoint,
): Promise<HttpResponse> {
  const response = await orBroken(answer, point);
  const { body } = response;
  if (typeof body !== "function") return response;
  return { ...response, body: breakableBody(body, point) };
}

function breakableBody(body: BodyStream, point: BreakingPoint): BodyStream {
  return (sink) => {
    const { incoming } = sink;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    if (sink.signal.aborted) leave();
    else sink.signal.addEventListener("abort", leave, { once: true });
    const keep = point.onBreak(leave);
    const write = (chunk: Uint8Array): Promise<void> =>
      point.isBroken ? Promise.reject(reset()) : sink.write(chunk);
    const whole = body({
      write,
      signal: gone.signal,
      ...(incoming === undefined ? {} : { incoming }),
    });
    return orBroken(whole, point).finally(() => {
      keep();
      sink.signal.removeEventListener("abort", leave);
    });
  };
}

function orBroken<Result>(work: Promise<Result>, point: BreakingPoint): Promise<Result> {
  return new Promise((resolve, reject) => {
    const keep = point.onBreak(() => reject(reset()));
    work.then(resolve, reject).finally(keep);
  });
}

function reset(): ConnectionError {
  return new ConnectionError("connection reset by peer", false);
}
