// A write that was acknowledged is in the store's history, at the revision that its answer named.
import type { StoredState } from "../stored-state.ts";

export class Acknowledged {
  readonly #answers: { readonly what: string; readonly revision: number }[] = [];

  note(what: string, resourceVersion: string): void {
    this.#answers.push({ what, revision: Number(resourceVersion) });
  }

  lost(state: StoredState): string[] {
    return this.#answers
      .filter(({ revision }) => !state.knows(revision))
      .map(({ what, revision }) => `${what} was acknowledged at ${revision}, and is not there`);
  }
}
