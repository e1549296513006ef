// What work costs on declared machines, as data: service times and memory from counted work. Every coefficient names its
// source, and the report repeats the ones that a run used.

/** A number of the real world and where it is from: a seed's figure, a KEP, or our own measurement. */
export interface Coefficient {
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}

export interface EtcdCosts {
  /** One range read: CPU on the member that serves it. */
  readonly rangeBase: Coefficient;
  readonly rangePerMegabyte: Coefficient;
  /** Live copies of a range's answer on the member while it is read and sent, garbage included. */
  readonly rangeCopies: Coefficient;
  /** One transaction: CPU on the leader, then the wait for the group's fsync. */
  readonly commitCpu: Coefficient;
  readonly commitWait: Coefficient;
  /** One event to one API server. */
  readonly eventCpu: Coefficient;
  /** Resident before any load, per megabyte of data held. */
  readonly residentPerMegabyte: Coefficient;
}

export interface ApiServerCosts {
  /** Any request: TLS, authentication, authorization, audit. */
  readonly requestCpu: Coefficient;
  /** What a write costs beyond it: decoding, admission, validation, the transaction. */
  readonly writeCpu: Coefficient;
  /** What etcd answered, decoded. */
  readonly decodePerMegabyte: Coefficient;
  /** Memory while such an answer is worked on, as a multiple of its bytes. */
  readonly decodeCopies: Coefficient;
  /** An object that a selector was asked about. */
  readonly scanPerObject: Coefficient;
  /** An object that is in an answer, whatever its size. */
  readonly returnPerObject: Coefficient;
  readonly encodePerMegabyte: Coefficient;
  /** Memory while an answer is encoded and sent, as a multiple of its bytes. */
  readonly encodeCopies: Coefficient;
  /** One event to one watcher. */
  readonly eventCpu: Coefficient;
  readonly watchBytes: Coefficient;
  /** Of the watch cache, as a multiple of the bytes in etcd. */
  readonly cacheCopies: Coefficient;
}

export interface ControllerCosts {
  /** An object that a sync looked through. */
  readonly scanPerObject: Coefficient;
}

export interface CostProfile {
  /** Which servers it speaks of, e.g. `kube-1.22`. */
  readonly name: string;
  readonly etcd: EtcdCosts;
  readonly apiServer: ApiServerCosts;
  readonly controllers: ControllerCosts;
}

export const megabyte = 1_000_000;

/** Some coefficients of each part, instead of a profile's; their units are the profile's. */
export interface CostChanges {
  readonly etcd?: Changes<EtcdCosts>;
  readonly apiServer?: Changes<ApiServerCosts>;
  readonly controllers?: Changes<ControllerCosts>;
}

type Changes<Part> = {
  readonly [Name in keyof Part]?: { readonly value: number; readonly source: string };
};
