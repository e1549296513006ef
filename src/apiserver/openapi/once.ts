// Documents repeat the same parameters and contents hundreds of times; made once and shared, they cost nothing more.

/** `make`, called once for each key; keys are compared by identity. */
export function once<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
