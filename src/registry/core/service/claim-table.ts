// Who is just writing what: claims on addresses and ports from the moment they are chosen until the watch cache shows
// the write. A second writer meanwhile finds them taken.
import type { Claim } from "../../generic/registry-parts.ts";

interface Entry {
  readonly owner: string;
  /** Undefined while the write is under way. */
  revision: number | undefined;
}

export class ClaimTable {
  readonly #seen: { readonly revision: number };
  readonly #entries = new Map<string, Entry>();

  /** `seen.revision`: up to which the owner of this table can see writes by other means. */
  constructor(seen: { readonly revision: number }) {
    this.#seen = seen;
  }

  /** `owner` is `namespace/name`: writes to one object do not stand in each other's way. */
  open(owner: string): OpenClaim {
    return new OpenClaim(this.#entries, this.#seen, owner);
  }
}

export class OpenClaim implements Claim {
  readonly owner: string;
  readonly #entries: Map<string, Entry>;
  readonly #seen: { readonly revision: number };
  readonly #taken = new Map<string, Entry>();

  constructor(entries: Map<string, Entry>, seen: { readonly revision: number }, owner: string) {
    this.owner = owner;
    this.#entries = entries;
    this.#seen = seen;
  }

  /** Whether nobody else is just taking it. */
  isFree(thing: string): boolean {
    const entry = this.#entries.get(thing);
    if (entry === undefined || entry.owner === this.owner) return true;
    if (entry.revision === undefined || this.#seen.revision < entry.revision) return false;
    this.#entries.delete(thing);
    return true;
  }

  /** False when somebody was faster. */
  take(thing: string): boolean {
    if (!this.isFree(thing)) return false;
    const entry = { owner: this.owner, revision: undefined };
    this.#entries.set(thing, entry);
    this.#taken.set(thing, entry);
    return true;
  }

  confirm(revision: number): void {
    for (const entry of this.#taken.values()) entry.revision = revision;
  }

  release(): void {
    for (const [thing, entry] of this.#taken) {
      if (entry.revision === undefined && this.#entries.get(thing) === entry) {
        this.#entries.delete(thing);
      }
    }
  }
}
