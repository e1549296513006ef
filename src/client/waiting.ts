// Waiting that can be given up: every await of a client's edge honours an AbortSignal through these two functions.
import type { Cancel, Clock } from "../host/host.ts";
import type { ClientSignal } from "../host/http.ts";

/** The wait was given up by its own signal; nothing is wrong. */
export class AbortedError extends Error {
  override readonly name = "AbortedError";
}

/** As `promise`, but rejects with AbortedError as soon as `signal` fires. What `promise` does then is nobody's concern. */
export function abortable<T>(promise: Promise<T>, signal: ClientSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(new AbortedError("aborted"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const release = (): void => signal.removeEventListener("abort", abort);
    promise.then(
      (value) => {
        release();
        resolve(value);
      },
      (error: unknown) => {
        release();
        reject(error);
      },
    );
  });
}

/** Resolves after `ms`; rejects with AbortedError when `signal` fires before, and leaves no timer behind. */
export function pause(clock: Clock, ms: number, signal?: ClientSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.reject(new AbortedError("aborted"));
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(new AbortedError("aborted"));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** A controller of its own that `signal` also fires; it lets go of `signal` when it is aborted. */
export function linkedController(signal: ClientSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal === undefined) return controller;
  const abort = (): void => controller.abort();
  const unlink = (): void => signal.removeEventListener("abort", abort);
  controller.signal.addEventListener("abort", unlink, { once: true });
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return controller;
}

export interface Deadline {
  /** Fires after the time is over, or when the parent does. */
  readonly signal: AbortSignal;
  /** Must be called when the work is done. */
  readonly cancel: Cancel;
}

export function withDeadline(clock: Clock, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const cancelTimer = clock.after(ms, abort);
  parent?.addEventListener("abort", abort, { once: true });
  if (parent?.aborted === true) abort();
  return {
    signal: controller.signal,
    cancel() {
      cancelTimer();
      parent?.removeEventListener("abort", abort);
    },
  };
}
