// JSON as Go's encoder writes it: three characters of HTML and two line separators escaped.

export function goJson(value: unknown): string {
  return escapeGo(JSON.stringify(value));
}

/** Of JSON that is already text: these characters stand only inside strings. */
export function escapeGo(json: string): string {
  return /[<>&\u2028\u2029]/.test(json)
    ? json.replaceAll(
        /[<>&\u2028\u2029]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    : json;
}
