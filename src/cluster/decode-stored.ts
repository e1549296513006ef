// Values that a real kube-apiserver wrote to the same etcd: protobuf in an envelope, turned into the JSON that we store.
import { encodeJson } from "../api/codec/encode-json.ts";
import { findTypeOfKind } from "../api/codec/message-types.ts";
import { decodeProtobuf, unwrapEnvelope } from "../api/codec/protobuf.ts";
import { parseGroupVersion } from "../api/codec/group-version.ts";

/** Throws when the value is no envelope, or holds a kind that is not built in. */
export function decodeStored(value: Uint8Array): Uint8Array {
  const { apiVersion, kind, message } = unwrapEnvelope(value);
  const type = findTypeOfKind({ ...parseGroupVersion(apiVersion), kind });
  if (type === undefined) throw new Error(`no kind ${kind} of ${apiVersion} is built in`);
  return encodeJson(type, { kind, apiVersion, ...decodeProtobuf(type, message) });
}
