// Reading maps whose keys users choose: `toString` or `constructor` are keys like any other there.

export function ownValue<V>(
  map: Readonly<Record<string, V>> | undefined,
  key: string,
): V | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
