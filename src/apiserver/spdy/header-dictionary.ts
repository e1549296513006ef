// The bytes that every SPDY/3 header block may refer to (SPDY protocol draft 3.1, 2.6.10.1): words with their lengths, then text.
import { encodeUtf8 } from "../../std/utf8.ts";

const words = [
  ..."options head post put delete trace accept accept-charset accept-encoding accept-language".split(
    " ",
  ),
  ..."accept-ranges age allow authorization cache-control connection content-base".split(" "),
  ..."content-encoding content-language content-length content-location content-md5".split(" "),
  ..."content-range content-type date etag expect expires from host if-match".split(" "),
  ..."if-modified-since if-none-match if-range if-unmodified-since last-modified location".split(
    " ",
  ),
  ..."max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after".split(
    " ",
  ),
  ..."server te trailer transfer-encoding upgrade user-agent vary via warning".split(" "),
  ..."www-authenticate method get status".split(" "),
  "200 OK",
  ..."version HTTP/1.1 url public set-cookie keep-alive origin".split(" "),
];

const codes =
  "100 101 201 202 205 206 300 302 303 304 305 306 307 402 405 406 407 408 409 410 411 412 413 414 415 416 417 502 504 505";

const text = [
  codes.replaceAll(" ", ""),
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request",
  "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented",
  "503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 ",
  "Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,",
  "application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=",
  "gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.",
];

/** No word is longer than 255 bytes. */
export const headerDictionary: Uint8Array = encodeUtf8(
  words.map((word) => `\0\0\0${String.fromCharCode(word.length)}${word}`).join("") + text.join(""),
);

/** Its Adler-32, by which a zlib header names it. */
export const headerDictionaryId = 0xe3c6a7c2;
