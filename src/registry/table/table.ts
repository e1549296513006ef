// Objects as the Table that kubectl prints: columns and cells made on the server, each row with as much of its object
// as was asked for. Pure; knows nothing of negotiation or watch framing.
import type { KubeObject } from "../../api/object.ts";
import type { ListMeta, ObjectMeta, Status } from "../../api/types/meta-v1.ts";
import type { Cell, ColumnDefinition, Printer, RowCondition } from "./column.ts";
import { printerOf } from "./printers.ts";
import { groupVersion } from "../../api/codec/group-version.ts";

export interface Table {
  readonly kind: "Table";
  readonly apiVersion: "meta.k8s.io/v1";
  readonly metadata: ListMeta;
  /** Null in every table of a watch stream but the first. */
  readonly columnDefinitions: readonly ColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly RowCondition[];
  /** Null when no part of the object was asked for, as Go prints an empty RawExtension. */
  readonly object: PartialObjectMetadata | KubeObject | null;
}

export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: "meta.k8s.io/v1";
  readonly metadata: ObjectMeta;
}

export type IncludeObject = "None" | "Metadata" | "Object";

/** What a ResourceSchema says of the objects to print; a subresource prints its own kind. */
export interface PrintedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Message type, e.g. `core.v1.Pod`. */
  readonly type: string;
}

export interface RowOptions {
  /** Ms since the epoch; ages are counted to it. */
  readonly now: number;
  readonly includeObject: IncludeObject;
}

export interface TableOptions extends RowOptions {
  /** resourceVersion, continue and remainingItemCount of the list or of the one object. */
  readonly listMeta: ListMeta;
  readonly withColumns: boolean;
}

export function tableOf(
  kind: PrintedKind,
  objects: Iterable<Readonly<KubeObject>>,
  options: TableOptions,
): Table {
  const printer = printerOf(kind.type);
  const { compare } = printer;
  const ordered = compare ? [...objects].sort(compare) : objects;
  const rows: TableRow[] = [];
  for (const object of ordered) rows.push(rowOf(printer, kind, object, options));
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: options.listMeta,
    columnDefinitions: options.withColumns ? printer.definitions : null,
    rows,
  };
}

/** One object's row, for watch streams and for lists that are written piece by piece. */
export function tableRow(
  kind: PrintedKind,
  object: Readonly<KubeObject>,
  options: RowOptions,
): TableRow {
  return rowOf(printerOf(kind.type), kind, object, options);
}

/** The columns of a kind, for tables that are written piece by piece. */
export function tableColumns(kind: PrintedKind): readonly ColumnDefinition[] {
  return printerOf(kind.type).definitions;
}

/** The only Table that carries a Status; error answers stay plain Statuses. */
export function tableOfStatus(status: Status): Table {
  const printer = printerOf("meta.v1.Status");
  const object = { ...status, metadata: {} };
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: status.metadata ?? {},
    columnDefinitions: printer.definitions,
    rows: [{ cells: printer.cells(object, 0), object }],
  };
}

function rowOf(
  printer: Printer,
  kind: PrintedKind,
  object: Readonly<KubeObject>,
  options: RowOptions,
): TableRow {
  const conditions = printer.conditions?.(object);
  return {
    cells: printer.cells(object, options.now),
    ...(conditions && { conditions }),
    object: includedObject(kind, object, options.includeObject),
  };
}

function includedObject(
  kind: PrintedKind,
  object: Readonly<KubeObject>,
  includeObject: IncludeObject,
): TableRow["object"] {
  if (includeObject === "None") return null;
  if (includeObject === "Metadata")
    return {
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: object.metadata,
    };
  const apiVersion = groupVersion(kind);
  // Items of a list carry neither kind nor apiVersion, rows do.
  return { ...object, kind: kind.kind, apiVersion };
}
