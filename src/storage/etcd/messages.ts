// The few messages of etcd's v3 API that a store needs, with the field numbers of etcd's rpc.proto and kv.proto.
// Values that come back are views of the message they came in: whoever keeps one for long copies it.
import type { KeyValue, LeaseId, Operation, StoreEvent, Transaction } from "../store.ts";
import { ProtoReader, ProtoWriter } from "./protobuf.ts";

export const methods = {
  range: "/etcdserverpb.KV/Range",
  transact: "/etcdserverpb.KV/Txn",
  compact: "/etcdserverpb.KV/Compact",
  watch: "/etcdserverpb.Watch/Watch",
  grantLease: "/etcdserverpb.Lease/LeaseGrant",
  revokeLease: "/etcdserverpb.Lease/LeaseRevoke",
  status: "/etcdserverpb.Maintenance/Status",
} as const;

/* ---- ranges ---- */

export interface RangeRequest {
  readonly start: string;
  readonly end?: string | undefined;
  /** 0: newest. */
  readonly revision: number;
  /** 0: no limit. */
  readonly limit: number;
  readonly keysOnly: boolean;
  readonly countOnly: boolean;
}

export interface RangeResponse {
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  readonly count: number;
}

export function encodeRange(request: RangeRequest): Buffer {
  const writer = new ProtoWriter().text(1, request.start);
  if (request.end !== undefined) writer.text(2, request.end);
  return writer
    .number(3, request.limit)
    .number(4, request.revision)
    .bool(8, request.keysOnly)
    .bool(9, request.countOnly)
    .finish();
}

export function decodeRange(bytes: Buffer): RangeResponse {
  return readRange(new ProtoReader(bytes));
}

function readRange(reader: ProtoReader): RangeResponse {
  const kvs: KeyValue[] = [];
  let revision = 0;
  let count = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = readHeader(reader.message());
    else if (field === 2) kvs.push(readKeyValue(reader.message()));
    else if (field === 4) count = reader.number();
    else reader.skip();
  }
  return { revision, kvs, count };
}

/** The revision: the one thing of the header that counts here. */
function readHeader(reader: ProtoReader): number {
  let revision = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) revision = reader.number();
    else reader.skip();
  }
  return revision;
}

const noValue: Uint8Array = new Uint8Array(0);

function readKeyValue(reader: ProtoReader): KeyValue {
  let key = "";
  let value = noValue;
  let createRevision = 0;
  let modRevision = 0;
  let version = 0;
  let lease = 0n;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.text();
    else if (field === 2) createRevision = reader.number();
    else if (field === 3) modRevision = reader.number();
    else if (field === 4) version = reader.number();
    else if (field === 5) value = reader.bytes();
    else if (field === 6) lease = reader.bigint();
    else reader.skip();
  }
  const kv = { key, value, createRevision, modRevision, version };
  return lease === 0n ? kv : { ...kv, lease: String(lease) };
}

/* ---- transactions ---- */

export interface TransactResponse {
  readonly succeeded: boolean;
  readonly revision: number;
  readonly results: readonly (KeyValue | undefined)[];
}

const compareTargetMod = 2;

export function encodeTransaction(transaction: Transaction): Buffer {
  const writer = new ProtoWriter();
  for (const { key, modRevision } of transaction.compare) {
    // The result EQUAL is 0 and left out, and so is a revision of 0: etcd takes an absent one for it.
    const compare = new ProtoWriter().number(2, compareTargetMod).text(3, key);
    writer.bytes(1, compare.number(6, modRevision).finish());
  }
  for (const operation of transaction.success) writer.bytes(2, encodeOperation(operation));
  for (const operation of transaction.failure) writer.bytes(3, encodeOperation(operation));
  return writer.finish();
}

function encodeOperation(operation: Operation): Buffer {
  const { kind, key } = operation;
  if (kind === "Get")
    return new ProtoWriter().bytes(1, new ProtoWriter().text(1, key).finish()).finish();
  if (kind === "Delete") {
    const request = new ProtoWriter().text(1, key).bool(3, true).finish();
    return new ProtoWriter().bytes(3, request).finish();
  }
  const { value, lease } = operation;
  const put = new ProtoWriter(value.length + key.length + 64).text(1, key).bytes(2, value);
  if (lease !== undefined) put.bigint(3, BigInt(lease));
  const request = put.finish();
  return new ProtoWriter(request.length + 16).bytes(2, request).finish();
}

export function decodeTransaction(bytes: Buffer): TransactResponse {
  const reader = new ProtoReader(bytes);
  const results: (KeyValue | undefined)[] = [];
  let revision = 0;
  let succeeded = false;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = readHeader(reader.message());
    else if (field === 2) succeeded = reader.number() !== 0;
    else if (field === 3) results.push(readOperationResult(reader.message()));
    else reader.skip();
  }
  return { succeeded, revision, results };
}

/** What a Get found or a Delete removed. */
function readOperationResult(reader: ProtoReader): KeyValue | undefined {
  const field = reader.next();
  if (field === 1) return readRange(reader.message()).kvs[0];
  if (field !== 3) return undefined;
  const deletion = reader.message();
  for (let inner = deletion.next(); inner !== 0; inner = deletion.next()) {
    if (inner === 3) return readKeyValue(deletion.message());
    deletion.skip();
  }
  return undefined;
}

export function encodeCompact(revision: number): Buffer {
  return new ProtoWriter().number(1, revision).finish();
}

/* ---- watches ---- */

export interface WatchRequest {
  readonly start: string;
  readonly end: string;
  readonly fromRevision: number;
}

export interface WatchResponse {
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** More of the same revision may follow in the next response. */
  readonly fragment: boolean;
  readonly events: readonly StoreEvent[];
}

export function encodeWatchCreate(request: WatchRequest): Buffer {
  const create = new ProtoWriter()
    .text(1, request.start)
    .text(2, request.end)
    .number(3, request.fromRevision)
    .bool(8, true);
  return new ProtoWriter().bytes(1, create.finish()).finish();
}

export function decodeWatch(bytes: Buffer): WatchResponse {
  const reader = new ProtoReader(bytes);
  const events: StoreEvent[] = [];
  let revision = 0;
  let created = false;
  let canceled = false;
  let compactRevision = 0;
  let cancelReason = "";
  let fragment = false;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 11) events.push(readEvent(reader.message()));
    else if (field === 1) revision = readHeader(reader.message());
    else if (field === 3) created = reader.number() !== 0;
    else if (field === 4) canceled = reader.number() !== 0;
    else if (field === 5) compactRevision = reader.number();
    else if (field === 6) cancelReason = reader.text();
    else if (field === 7) fragment = reader.number() !== 0;
    else reader.skip();
  }
  return { revision, created, canceled, compactRevision, cancelReason, fragment, events };
}

function readEvent(reader: ProtoReader): StoreEvent {
  let type: StoreEvent["type"] = "Put";
  let kv: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) type = reader.number() === 1 ? "Delete" : "Put";
    else if (field === 2) kv = readKeyValue(reader.message());
    else reader.skip();
  }
  if (kv === undefined) throw new RangeError("a watch event without its key");
  return { type, kv };
}

/* ---- leases and status ---- */

export function encodeLeaseGrant(ttlSeconds: number): Buffer {
  return new ProtoWriter().number(1, ttlSeconds).finish();
}

export function decodeLeaseGrant(bytes: Buffer): LeaseId {
  const reader = new ProtoReader(bytes);
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) return String(reader.bigint());
    reader.skip();
  }
  throw new RangeError("a granted lease without an id");
}

export function encodeLeaseRevoke(lease: LeaseId): Buffer {
  return new ProtoWriter().bigint(1, BigInt(lease)).finish();
}

export function decodeDatabaseSize(bytes: Buffer): number {
  const reader = new ProtoReader(bytes);
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) return reader.number();
    reader.skip();
  }
  return 0;
}
