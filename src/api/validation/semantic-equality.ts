// Whether two values say the same to Kubernetes: what is empty equals what is missing, since neither survives encoding
// (upstream: apimachinery's Semantic.DeepEqual, quantities and times being canonical text here).

export function semanticallyEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a)) return isEmpty(a) && isEmpty(b);
  if (!isObject(b)) return isEmpty(b) && isEmpty(a);
  if (Array.isArray(a) || Array.isArray(b)) return equalLists(a, b);
  return equalMaps(a, b);
}

type Fields = Record<string, unknown>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (!isObject(value)) return false;
  for (const key in value) if (!isEmpty(value[key])) return false;
  return true;
}

function equalLists(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return isEmpty(a) && isEmpty(b);
  if (a.length !== b.length) return false;
  return a.every((item, i) => semanticallyEqual(item, b[i]));
}

function equalMaps(a: Fields, b: Fields): boolean {
  for (const key in a) {
    if (!semanticallyEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  }
  for (const key in b) if (!Object.hasOwn(a, key) && !isEmpty(b[key])) return false;
  return true;
}
