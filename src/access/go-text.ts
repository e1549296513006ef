// Lists as Go prints them inside the messages of access.

/** Go's %q of a string slice. */
export function quotedList(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(" ")}]`;
}

/** Several errors at once: one bare, more in brackets, each text once (upstream: utilerrors.Aggregate). */
export function joinedErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
