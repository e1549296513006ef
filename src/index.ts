// The library: a control plane inside a Node process, e.g. for tests.
export { startControlPlane } from "./cmd/control-plane.ts";
export { UsageError } from "./cmd/options.ts";
export type { RunningControlPlane } from "./cmd/control-plane.ts";
export type { EtcdOptions, StartOptions } from "./cmd/options.ts";
