// Takes the body of an answer, in whichever of its shapes it comes. Chunks that a server streams are lent: they are
// copied or decoded before the write that brings them resolves.
import {
  type BodySink,
  type BodyStream,
  ConnectionError,
  type ResponseBody,
} from "../host/http.ts";
import { concatBytes } from "../std/concat-bytes.ts";
import { decodeUtf8 } from "../std/utf8.ts";

/** The whole body as text. Rejects with ConnectionError when it breaks off. */
export async function readText(
  body: ResponseBody,
  given: AbortSignal | undefined,
): Promise<string> {
  if (typeof body !== "function") return wholeText(body);
  const signal = given ?? new AbortController().signal;
  const chunks: Uint8Array[] = [];
  const write: BodySink["write"] = (chunk) => {
    if (signal.aborted) return Promise.reject(new Error("reader is gone"));
    chunks.push(chunk.slice());
    return Promise.resolve();
  };
  try {
    await body({ write, signal });
  } catch (cause) {
    throw new ConnectionError("the answer broke off", false, cause);
  }
  return decodeUtf8(concatBytes(chunks));
}

/** The first bytes of a body as text, once there are so many or it ends; what is longer is broken off there. */
export async function readStart(
  body: ResponseBody,
  signal: AbortSignal,
  bytesMax: number,
): Promise<string> {
  if (typeof body !== "function") return wholeText(body).slice(0, bytesMax);
  const chunks: Uint8Array[] = [];
  let left = bytesMax;
  const write: BodySink["write"] = (chunk) => {
    chunks.push(chunk.slice(0, left));
    left -= chunk.length;
    return left > 0 ? Promise.resolve() : Promise.reject(new Error("reader has enough"));
  };
  try {
    await body({ write, signal });
  } catch (cause) {
    if (left > 0) throw new ConnectionError("the answer broke off", false, cause);
  }
  return decodeUtf8(concatBytes(chunks));
}

/** Of a body that is there already. */
export function wholeText(body: Exclude<ResponseBody, BodyStream>): string {
  if (body === undefined) return "";
  return typeof body === "string" ? body : decodeUtf8(body);
}

/** Lets the server free what an unwanted answer holds. */
export async function refuseBody(body: ResponseBody): Promise<void> {
  if (typeof body !== "function") return;
  const controller = new AbortController();
  controller.abort();
  const write = (): Promise<void> => Promise.reject(new Error("reader is gone"));
  await body({ write, signal: controller.signal }).catch(() => undefined);
}
