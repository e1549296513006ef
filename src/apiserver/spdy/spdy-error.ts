/** The peer broke the protocol: its connection ends. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}
