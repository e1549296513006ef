// Puts an object's fields into the struct's order and its maps into Go's (sorted), where code that filled in defaults
// or status has appended to them. Copies only what is out of order; checks no types.
import { assert } from "../../std/assert.ts";
import { isJsonObject, setKey } from "../../std/json.ts";
import { findMessageType, jsonFields } from "./message-types.ts";

/** The object itself when it is in order already. Keys that the type does not know go last. */
export function orderFields<T>(typeId: string, value: T): T {
  return orders.of(typeId)(value) as T;
}

type Order = (value: unknown) => unknown;

/** Orders by type id, built when first asked for. */
class Orders {
  private readonly byId = new Map<string, Order>();

  of(id: string): Order {
    let order = this.byId.get(id);
    if (order === undefined) this.byId.set(id, (order = this.build(id)));
    return order;
  }

  private build(id: string): Order {
    const type = findMessageType(id);
    assert(type !== undefined, `no message type ${id}`);
    const fields = jsonFields(type);
    const ranks = new Map(fields.map((field, index) => [field.name, index]));
    const children = fields.map((field): Order | undefined => {
      const element: Order | undefined =
        findMessageType(field.type) === undefined
          ? undefined
          : (value) => this.of(field.type)(value);
      if (field.container === "map") return (value) => orderMap(value, element);
      return element === undefined || field.container !== "list"
        ? element
        : (value) => orderList(value, element);
    });
    return (value) => orderStruct(value, ranks, children);
  }
}

const orders = new Orders();

function orderStruct(
  value: unknown,
  ranks: ReadonlyMap<string, number>,
  children: readonly (Order | undefined)[],
): unknown {
  if (!isJsonObject(value)) return value;
  let inOrder = true;
  let last = -1;
  let changed: Map<string, unknown> | undefined;
  for (const key in value) {
    const rank = ranks.get(key) ?? ranks.size;
    if (rank < last) inOrder = false;
    last = rank;
    const order = children[rank];
    if (order === undefined) continue;
    const child = order(value[key]);
    if (child !== value[key]) (changed ??= new Map()).set(key, child);
  }
  if (inOrder && changed === undefined) return value;
  const keys = Object.keys(value);
  if (!inOrder) keys.sort((a, b) => (ranks.get(a) ?? ranks.size) - (ranks.get(b) ?? ranks.size));
  return rebuild(value, keys, changed);
}

function orderMap(value: unknown, order: Order | undefined): unknown {
  if (!isJsonObject(value)) return value;
  let inOrder = true;
  let last = "";
  let changed: Map<string, unknown> | undefined;
  for (const key in value) {
    if (key < last) inOrder = false;
    last = key;
    const child = order === undefined ? value[key] : order(value[key]);
    if (child !== value[key]) (changed ??= new Map()).set(key, child);
  }
  if (inOrder && changed === undefined) return value;
  return rebuild(value, Object.keys(value).sort(), changed);
}

function orderList(value: unknown, order: Order): unknown {
  if (!Array.isArray(value)) return value;
  let changed: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const item = order(value[index]);
    if (item !== value[index]) (changed ??= [...(value as unknown[])])[index] = item;
  }
  return changed ?? value;
}

function rebuild(
  source: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  changed: ReadonlyMap<string, unknown> | undefined,
): Record<string, unknown> {
  const target: Record<string, unknown> = {};
  for (const key of keys) setKey(target, key, changed?.has(key) ? changed.get(key) : source[key]);
  return target;
}
