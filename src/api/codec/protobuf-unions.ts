// JSONSchemaPropsOrX on the protobuf wire: messages with one field an alternative, where JSON shows the bare alternative.
import type { MessagePlan, WireScalar } from "./protobuf-scalars.ts";
import {
  eachField,
  wireBytes,
  type WireReader,
  wireVarint,
  type WireWriter,
  writeMessage,
} from "./protobuf-wire.ts";

type JsonObject = Record<string, unknown>;

/** `schemaProps` gives the plan of JSONSchemaProps, late, since that holds the unions. */
export function wireUnions(schemaProps: () => MessagePlan): Readonly<Record<string, WireScalar>> {
  const readSchema = (reader: WireReader): JsonObject => {
    const target: JsonObject = {};
    reader.within(() => schemaProps().read(reader, target));
    return target;
  };
  const writeSchema = (writer: WireWriter, field: number, value: unknown): void => {
    writeMessage(writer, () => schemaProps().write(writer, value as JsonObject));
    writer.tag(field, wireBytes);
  };
  return {
    schemaOrArray: {
      wireType: wireBytes,
      read: (reader) => {
        let single: unknown = null;
        const many: unknown[] = [];
        eachField(reader, [wireBytes, wireBytes], (field) => {
          if (field === 1) single = readSchema(reader);
          else many.push(readSchema(reader));
        });
        return many.length > 0 ? many : single;
      },
      write: (writer, value) =>
        writeMessage(writer, () => {
          if (!Array.isArray(value)) return writeSchema(writer, 1, value);
          for (const item of value.toReversed()) writeSchema(writer, 2, item);
        }),
    },
    schemaOrBool: {
      wireType: wireBytes,
      read: (reader) => {
        let allows = false;
        let schema: unknown;
        eachField(reader, [wireVarint, wireBytes], (field) => {
          if (field === 1) allows = reader.bool();
          else schema = readSchema(reader);
        });
        return schema ?? allows;
      },
      write: (writer, value) =>
        writeMessage(writer, () => {
          if (typeof value !== "boolean") writeSchema(writer, 2, value);
          writer.bool(value !== false);
          writer.tag(1, wireVarint);
        }),
    },
    schemaOrStringArray: {
      wireType: wireBytes,
      read: (reader) => {
        let schema: unknown = null;
        const strings: string[] = [];
        eachField(reader, [wireBytes, wireBytes], (field) => {
          if (field === 1) schema = readSchema(reader);
          else strings.push(reader.string());
        });
        return strings.length > 0 ? strings : schema;
      },
      write: (writer, value) =>
        writeMessage(writer, () => {
          if (!Array.isArray(value)) return writeSchema(writer, 1, value);
          for (const item of value.toReversed()) {
            writer.string(item as string);
            writer.tag(2, wireBytes);
          }
        }),
    },
  };
}
