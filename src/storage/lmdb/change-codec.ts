// A change as bytes in the `changes` database: revision (6 bytes), create revision (6), version (6), length of the
// lease's text (1), the lease's text, the key in UTF-8. Numbers big-endian. The key of the record is the change's id.
import type { LoggedChange } from "../mvcc/revision-log.ts";
import type { RevisionRecord } from "../mvcc/revision-record.ts";

const headBytes = 19;

export function encodeChange(record: RevisionRecord): Buffer {
  const { key } = record.entry;
  const lease = record.lease ?? "";
  const bytes = Buffer.allocUnsafe(headBytes + lease.length + Buffer.byteLength(key));
  bytes.writeUIntBE(record.revision, 0, 6);
  bytes.writeUIntBE(record.createRevision, 6, 6);
  bytes.writeUIntBE(record.version, 12, 6);
  bytes[18] = lease.length;
  bytes.write(lease, headBytes, "latin1");
  bytes.write(key, headBytes + lease.length, "utf8");
  return bytes;
}

/** Throws RangeError when the bytes are no change. */
export function decodeChange(id: number, bytes: Buffer): LoggedChange {
  if (bytes.length < headBytes + bytes[18]!) throw new RangeError(`change ${id} is cut short`);
  const keyAt = headBytes + bytes[18]!;
  return {
    id,
    key: bytes.toString("utf8", keyAt, bytes.length),
    revision: bytes.readUIntBE(0, 6),
    createRevision: bytes.readUIntBE(6, 6),
    version: bytes.readUIntBE(12, 6),
    lease: keyAt === headBytes ? undefined : bytes.toString("latin1", headBytes, keyAt),
  };
}
