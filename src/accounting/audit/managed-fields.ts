// An object, or each item of a list, without the record of who set which field.

export function withoutManagedFields(object: object): object {
  const { metadata, items, ...rest } = object as {
    readonly metadata?: { readonly managedFields?: unknown };
    readonly items?: readonly object[];
  };
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: without(metadata) }),
    ...(items === undefined ? {} : { items: items.map(withoutManagedFields) }),
  };
}

function without(metadata: object): object {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== "managedFields"));
}
