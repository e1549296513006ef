// An exchange over a connection that can break in the middle: before the answer, or while its body is read.
import { type BodyStream, ConnectionError, type HttpResponse } from "../../host/http.ts";

/** `broken` aborts when the connection does; from then on the reader of the answer knows. */
export async function breakable(
  answer: Promise<HttpResponse>,
  broken: AbortSignal,
): Promise<HttpResponse> {
  const response = await orBroken(answer, broken);
  const { body } = response;
  if (typeof body !== "function") return response;
  return { ...response, body: breakableBody(body, broken) };
}

function breakableBody(body: BodyStream, broken: AbortSignal): BodyStream {
  return (sink) => {
    const { incoming } = sink;
    const signal = eitherAborts(sink.signal, broken);
    const write = (chunk: Uint8Array): Promise<void> =>
      broken.aborted ? Promise.reject(reset()) : sink.write(chunk);
    const whole = body({ write, signal, ...(incoming === undefined ? {} : { incoming }) });
    return orBroken(whole, broken);
  };
}

function orBroken<Result>(work: Promise<Result>, broken: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(reset());
    if (broken.aborted) fail();
    broken.addEventListener("abort", fail, { once: true });
    work.then(resolve, reject).finally(() => broken.removeEventListener("abort", fail));
  });
}

function eitherAborts(one: AbortSignal, other: AbortSignal): AbortSignal {
  if (one.aborted) return one;
  if (other.aborted) return other;
  const either = new AbortController();
  const abort = (): void => {
    one.removeEventListener("abort", abort);
    other.removeEventListener("abort", abort);
    either.abort();
  };
  one.addEventListener("abort", abort);
  other.addEventListener("abort", abort);
  return either.signal;
}

function reset(): ConnectionError {
  return new ConnectionError("connection reset by peer", false);
}
