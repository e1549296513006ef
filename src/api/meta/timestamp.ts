// Moments as Kubernetes writes them in objects, from ms since 1970. Texts of strangers are read in api/codec/time.ts.

/** metav1.Time: RFC 3339 in UTC, whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** metav1.MicroTime: always six decimals. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
