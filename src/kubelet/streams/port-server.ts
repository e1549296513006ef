// Speaks to whoever connects to a port of a simulated pod: HTTP/1.1 of one page, or an echo.
import type { Connection } from "../../api/node-streams.ts";
import { concatBytes } from "../../std/concat-bytes.ts";
import { decodeUtf8, encodeUtf8, utf8Length } from "../../std/utf8.ts";
import type { PortAnswer } from "./pod-port.ts";

/** Of a request's line and headers; with more the connection ends. */
const headBytesMax = 16_384;
const headEnd = "\r\n\r\n";

export async function serveConnection(connection: Connection, answer: PortAnswer): Promise<void> {
  if (answer.is === "echo") return echo(connection);
  let rest: Uint8Array | undefined = new Uint8Array(0);
  while (rest !== undefined) rest = await serveRequest(connection, rest, answer.body);
}

async function echo(connection: Connection): Promise<void> {
  for (;;) {
    const bytes = await connection.next();
    if (bytes === undefined) return;
    await connection.write(bytes);
  }
}

/** Gives what came after the request; undefined when the connection ends. */
async function serveRequest(
  connection: Connection,
  before: Uint8Array,
  page: string,
): Promise<Uint8Array | undefined> {
  const read = await readHead(connection, before);
  if (read === undefined) return undefined;
  const request = parseHead(read.head);
  if (request === undefined) {
    await connection.write(encodeUtf8(response("400 Bad Request", "400 Bad Request\n", true)));
    return undefined;
  }
  const rest = await skip(connection, read.rest, request.bodyBytes);
  const text = response("200 OK", page, request.closes);
  const bodyless = request.method === "HEAD" ? text.slice(0, text.indexOf(headEnd) + 4) : text;
  await connection.write(encodeUtf8(bodyless));
  return request.closes ? undefined : rest;
}

interface Read {
  readonly head: string;
  readonly rest: Uint8Array;
}

async function readHead(connection: Connection, before: Uint8Array): Promise<Read | undefined> {
  let bytes = before;
  for (;;) {
    // One character a byte, so that places in the text are places in the bytes.
    const text = latin1(bytes.subarray(0, headBytesMax));
    const end = text.indexOf(headEnd);
    if (end >= 0)
      return { head: decodeUtf8(bytes.subarray(0, end)), rest: bytes.subarray(end + 4) };
    if (bytes.length >= headBytesMax || !couldBeHttp(text)) return { head: "", rest: bytes };
    const more = await connection.next();
    if (more === undefined) return undefined;
    bytes = concatBytes([bytes, more]);
  }
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function couldBeHttp(text: string): boolean {
  return /^[A-Z]{0,16}(?: |$)/.test(text);
}

interface Request {
  readonly method: string;
  readonly bodyBytes: number;
  readonly closes: boolean;
}

function parseHead(head: string): Request | undefined {
  const [line = "", ...lines] = head.split("\r\n");
  const [, method, minor] = /^([A-Z]+) \S+ HTTP\/1\.([01])$/.exec(line) ?? [];
  if (method === undefined) return undefined;
  const headers = new Map(
    lines.map((one) => {
      const at = one.indexOf(":");
      return [one.slice(0, at).toLowerCase(), one.slice(at + 1).trim()] as const;
    }),
  );
  const wish = headers.get("connection")?.toLowerCase();
  const chunked = headers.has("transfer-encoding");
  return {
    method,
    bodyBytes: Number(headers.get("content-length") ?? 0) || 0,
    // Where a chunked body ends nobody here looks for.
    closes: chunked || wish === "close" || (minor === "0" && wish !== "keep-alive"),
  };
}

async function skip(connection: Connection, rest: Uint8Array, count: number): Promise<Uint8Array> {
  let bytes = rest;
  let left = count;
  while (left > bytes.length) {
    left -= bytes.length;
    const more = await connection.next();
    if (more === undefined) return new Uint8Array(0);
    bytes = more;
  }
  return bytes.subarray(left);
}

function response(status: string, body: string, closes: boolean): string {
  const lines = [
    `HTTP/1.1 ${status}`,
    "Server: wavetank",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${utf8Length(body)}`,
    `Connection: ${closes ? "close" : "keep-alive"}`,
  ];
  return `${lines.join("\r\n")}${headEnd}${body}`;
}
