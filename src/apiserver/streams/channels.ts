// Frames of the channel.k8s.io WebSocket protocols: the first byte names a channel, the rest is its data
// (upstream: apimachinery/pkg/util/remotecommand, KEP-4006). Pure.
import type { Status } from "../../api/types/meta-v1.ts";
import { encodeUtf8 } from "../../std/utf8.ts";
import type { ProcessEnd } from "./process-end.ts";

export const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Best first; "" is what a client gets that offers none. */
export const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io", "channel.k8s.io", ""] as const;

export type Protocol = (typeof protocols)[number];

/** The first of the client's that is spoken here. */
export function chooseProtocol(offered: readonly string[]): Protocol | undefined {
  if (offered.length === 0) return "";
  return offered.flatMap((name) => protocols.find((known) => known === name) ?? [])[0];
}

export function frameOf(to: number, bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(bytes.length + 1);
  frame[0] = to;
  frame.set(bytes, 1);
  return frame;
}

export type Incoming =
  | { readonly is: "stdin"; readonly bytes: Uint8Array }
  | { readonly is: "end of stdin" }
  /** A new window size, which no simulated process looks at, or what no protocol knows. */
  | { readonly is: "nothing" };

export function readFrame(frame: Uint8Array, protocol: Protocol): Incoming {
  const [to, which] = frame;
  if (to === channel.stdin) return { is: "stdin", bytes: frame.subarray(1) };
  const closes = to === channel.close && protocol === "v5.channel.k8s.io";
  return { is: closes && which === channel.stdin ? "end of stdin" : "nothing" };
}

/** How a process ended, for the error channel; undefined where the protocol says nothing of success. */
export function resultOf(ended: ProcessEnd, protocol: Protocol): Uint8Array | undefined {
  const status = typeof ended === "number" ? statusOfExit(ended) : ended.status;
  if (protocol !== "channel.k8s.io" && protocol !== "") return encodeUtf8(JSON.stringify(status));
  return ended === 0 ? undefined : encodeUtf8(status.message ?? "");
}

function statusOfExit(code: number): Status {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}
