// Messages on the protobuf wire, driven by the schema's field numbers: plans by type id, built when first asked for. What
// is read here is raw (zero values and all); protobuf.ts makes it normal.
import { assert } from "../../std/assert.ts";
import { setKey } from "../../std/json.ts";
import type { FieldSchema } from "../schema/schema.ts";
import { findMessageType } from "./message-types.ts";
import {
  type EnvelopeReader,
  type MessagePlan,
  type WireScalar,
  wireScalars,
} from "./protobuf-scalars.ts";
import { wireUnions } from "./protobuf-unions.ts";
import {
  eachField,
  requireWireType,
  wireBytes,
  type WireReader,
  type WireWriter,
  writeMessage,
} from "./protobuf-wire.ts";

type JsonObject = Record<string, unknown>;

interface FieldPlan {
  read(reader: WireReader, tag: number, target: JsonObject): void;
  write(writer: WireWriter, source: Readonly<JsonObject>): void;
}

export class MessagePlans {
  private readonly byId = new Map<string, MessagePlan>();
  private readonly scalars: Readonly<Record<string, WireScalar>>;

  constructor(readEnvelope: EnvelopeReader) {
    const schemaProps = () => this.message("apiextensions.v1.JSONSchemaProps");
    this.scalars = { ...wireScalars(readEnvelope), ...wireUnions(schemaProps) };
  }

  message(id: string): MessagePlan {
    let plan = this.byId.get(id);
    if (plan === undefined) this.byId.set(id, (plan = this.build(id)));
    return plan;
  }

  private build(id: string): MessagePlan {
    const type = findMessageType(id);
    assert(type !== undefined, `no message type ${id}`);
    const byNumber: (FieldPlan | undefined)[] = [];
    for (const field of type.fields) byNumber[field.number] = this.field(field);
    const backwards = byNumber.filter((plan) => plan !== undefined).toReversed();
    return {
      read: (reader, target) => {
        while (reader.at < reader.end) {
          const tag = reader.tag();
          const plan = byNumber[tag >>> 3];
          if (plan === undefined) reader.skip(tag & 7);
          else plan.read(reader, tag, target);
        }
      },
      write: (writer, source) => {
        for (const plan of backwards) plan.write(writer, source);
      },
    };
  }

  private field(field: FieldSchema): FieldPlan {
    const scalar = this.scalars[field.type];
    if (field.container === "map") return mapPlan(field, scalar ?? this.nested(field.type));
    if (field.container === "list") return listPlan(field, scalar ?? this.nested(field.type));
    if (scalar !== undefined) return scalarPlan(field, scalar);
    return messagePlan(field, () => this.message(field.type));
  }

  /** A message as the value of a list or map. */
  private nested(id: string): WireScalar {
    return {
      wireType: wireBytes,
      read: (reader) => {
        const target: JsonObject = {};
        reader.within(() => this.message(id).read(reader, target));
        return target;
      },
      write: (writer, value) =>
        writeMessage(writer, () => this.message(id).write(writer, value as JsonObject)),
    };
  }
}

function scalarPlan(field: FieldSchema, scalar: WireScalar): FieldPlan {
  const { name, number } = field;
  return {
    read: (reader, tag, target) => {
      requireWireType(tag, scalar.wireType, name);
      target[name] = scalar.read(reader);
    },
    write: (writer, source) => {
      const value = source[name];
      if (value === undefined || value === null) return;
      scalar.write(writer, value);
      writer.tag(number, scalar.wireType);
    },
  };
}

/** A message that occurs twice is merged, as protobuf has it. */
function messagePlan(field: FieldSchema, plan: () => MessagePlan): FieldPlan {
  const { name, number } = field;
  const isInline = field.inline === true;
  return {
    read: (reader, tag, target) => {
      requireWireType(tag, wireBytes, name);
      const inner = isInline ? target : ((target[name] ??= {}) as JsonObject);
      reader.within(() => plan().read(reader, inner));
    },
    write: (writer, source) => {
      const value = isInline ? source : (source[name] as JsonObject | null | undefined);
      if (value === undefined || value === null) return;
      const before = writer.length;
      plan().write(writer, value);
      writer.lengthSince(before);
      writer.tag(number, wireBytes);
    },
  };
}

function listPlan(field: FieldSchema, element: WireScalar): FieldPlan {
  const { name, number } = field;
  return {
    read: (reader, tag, target) => {
      const list = (target[name] ??= []) as unknown[];
      const isPacked = (tag & 7) === wireBytes && element.wireType !== wireBytes;
      if (!isPacked) {
        requireWireType(tag, element.wireType, name);
        list.push(element.read(reader));
        return;
      }
      reader.within(() => {
        while (reader.at < reader.end) list.push(element.read(reader));
      });
    },
    write: (writer, source) => {
      const list = source[name] as unknown[] | null | undefined;
      if (list === undefined || list === null) return;
      for (let index = list.length - 1; index >= 0; index--) {
        element.write(writer, list[index]);
        writer.tag(number, element.wireType);
      }
    },
  };
}

function mapPlan(field: FieldSchema, element: WireScalar): FieldPlan {
  const { name, number } = field;
  return {
    read: (reader, tag, target) => {
      requireWireType(tag, wireBytes, name);
      let key = "";
      let value: unknown = null;
      eachField(reader, [wireBytes, element.wireType], (part) => {
        if (part === 1) key = reader.string();
        else value = element.read(reader);
      });
      setKey((target[name] ??= {}) as JsonObject, key, value);
    },
    write: (writer, source) => {
      const map = source[name] as JsonObject | null | undefined;
      if (map === undefined || map === null) return;
      for (const key of Object.keys(map).toReversed()) {
        writeMessage(writer, () => {
          element.write(writer, map[key]);
          writer.tag(2, element.wireType);
          writer.string(key);
          writer.tag(1, wireBytes);
        });
        writer.tag(number, wireBytes);
      }
    },
  };
}
