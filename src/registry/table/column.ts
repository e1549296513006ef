// The words in which a kind says how it is printed: its columns, each with the function that fills its cell. A file
// registry/<group>/<kind>/columns.ts holds one Printer; table.ts makes Tables of them. Knows no kind.
import type { KubeObject } from "../../api/object.ts";
import type { ObjectMeta } from "../../api/types/meta-v1.ts";
import { ageOf } from "./human-duration.ts";

/** `TableColumnDefinition` of meta.k8s.io/v1. Priority 1 is shown by `-o wide` only. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly format: "" | "name";
  readonly description: string;
  readonly priority: 0 | 1;
}

export type Cell = string | number | boolean;

export interface Column<T> extends ColumnDefinition {
  /** `now` in ms since the epoch. */
  readonly cell: (object: T, now: number) => Cell;
}

/** `TableRowCondition` of meta.k8s.io/v1. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How one kind becomes rows; `definitions` and `cells` have the same length and order. */
export interface Printer {
  readonly definitions: readonly ColumnDefinition[];
  cells(object: Readonly<KubeObject>, now: number): Cell[];
  /** Says of a row that its object has finished; undefined when there is nothing to say. */
  readonly conditions?: (object: Readonly<KubeObject>) => RowCondition[] | undefined;
  /** Order of the rows of one table where it is not the order of the objects. */
  readonly compare?: (a: Readonly<KubeObject>, b: Readonly<KubeObject>) => number;
}

interface Named {
  readonly metadata: ObjectMeta;
}

export function text<T>(
  name: string,
  description: string,
  cell: (object: T, now: number) => Cell,
): Column<T> {
  return { name, type: "string", format: "", description, priority: 0, cell };
}

export function integer<T>(
  name: string,
  description: string,
  cell: (object: T) => Cell,
): Column<T> {
  return { ...text(name, description, cell), type: "integer" };
}

export function truth<T>(name: string, description: string, cell: (object: T) => Cell): Column<T> {
  return { ...text(name, description, cell), type: "boolean" };
}

/** The same column, shown by `-o wide` only. */
export function wide<T>(column: Column<T>): Column<T> {
  return { ...column, priority: 1 };
}

/** kubectl finds the name of a row by format "name". */
export const nameColumn: Column<Named> = {
  ...text("Name", "Name of the object", (object: Named) => object.metadata.name ?? ""),
  format: "name",
};

export const ageColumn: Column<Named> = text(
  "Age",
  "Time since the object was created",
  (object: Named, now) => ageOf(object.metadata.creationTimestamp, now),
);

/** A printer of objects of type T. */
export function printer<T>(columns: readonly Column<T>[], extra: PrinterExtra<T> = {}): Printer {
  return printerOver<T, T>((object) => object, columns, extra);
}

export interface PrinterExtra<T> {
  readonly conditions?: (object: T) => RowCondition[] | undefined;
  readonly compare?: (a: T, b: T) => number;
}

/** A printer whose columns share one look at the object (`view`), made once a row. */
export function printerOver<T, View>(
  view: (object: T) => View,
  columns: readonly Column<View>[],
  extra: PrinterExtra<T> = {},
): Printer {
  const { conditions, compare } = extra;
  // The schema decides which kind reaches which printer (printers.ts), so the shape is known here.
  const typed = (object: Readonly<KubeObject>): T => object as unknown as T;
  return {
    definitions: columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    cells: (object, now) => {
      const seen = view(typed(object));
      return columns.map((column) => column.cell(seen, now));
    },
    ...(conditions && { conditions: (object) => conditions(typed(object)) }),
    ...(compare && { compare: (a, b) => compare(typed(a), typed(b)) }),
  };
}
