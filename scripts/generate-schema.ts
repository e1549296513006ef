// Makes src/api/schema/v1.36.json and src/api/types/*.ts from the tables in schema/v1.36.
// A new Kubernetes minor is a new folder of tables and a run of `npm run generate`.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type {
  FieldSchema,
  GroupVersionKind,
  ResourceSchema,
  SubresourceSchema,
  TypeSchema,
} from "../src/api/schema/schema.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Types = Record<string, { fields: Mutable<FieldSchema>[]; atomic?: true }>;

const version = "1.36";
const root = fileURLToPath(new URL("..", import.meta.url));

const scalarOfLetter: Record<string, string> = {
  s: "string",
  b: "bool",
  i: "int32",
  l: "int64",
  u: "uint32",
  d: "double",
  y: "bytes",
};
const scalarOfMessage: Record<string, string> = {
  Time: "time",
  MicroTime: "microTime",
  Duration: "duration",
  Quantity: "quantity",
  IntOrString: "intOrString",
  RawExtension: "rawExtension",
  FieldsV1: "json",
  JSON: "json",
  Verbs: "stringList",
  ExtraValue: "stringList",
  JSONSchemaPropsOrArray: "schemaOrArray",
  JSONSchemaPropsOrBool: "schemaOrBool",
  JSONSchemaPropsOrStringArray: "schemaOrStringArray",
};
const skippedPackages = new Set(["intstr", "quantity", "runtime"]);
const sharedTypes = new Set(["ObjectMeta", "ListMeta", "LabelSelector", "Condition"]);

/** Where kube-apiserver 1.36 stores a kind in another version than the one served; clients see whether a hash changes. */
const storedAs: Readonly<Record<string, string>> = {
  "admissionregistration.v1.MutatingAdmissionPolicy":
    "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy",
  "admissionregistration.v1.MutatingAdmissionPolicyBinding":
    "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding",
  "apiextensions.v1.CustomResourceDefinition":
    "apiextensions.k8s.io/v1beta1/CustomResourceDefinition",
  "autoscaling.v1.HorizontalPodAutoscaler": "autoscaling/v2/HorizontalPodAutoscaler",
  "events.v1.Event": "/v1/Event",
};

/** Group order of discovery: descending groupPriorityMinimum. */
const groupOrder = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "metrics.k8s.io",
];

function main(): void {
  const table = (name: string): string =>
    readFileSync(`${root}/schema/v${version}/${name}.md`, "utf8");
  const types = parseTypes(table("fields"));
  applyLists(types, table("lists"));
  applyGoTypes(types, table("go-types"));
  const resources = parseResources(table("resources"), types);
  writeFileSync(`${root}/src/api/schema/v${version}.json`, printSchema(types, resources));
  writeFileSync(
    `${root}/src/api/schema/descriptions.json`,
    printDescriptions(types, table("descriptions"), table("required"), table("values")),
  );
  writeTypeScript(types, resources);
  writeResourceMap(resources);
}

function parseTypes(text: string): Types {
  const types: Types = {};
  const rows: { pkg: string; name: string; fields: string }[] = [];
  let pkg = "";
  for (const line of text.split("\n")) {
    const heading = /^## (\w+)(?:\/(\w+))?$/.exec(line);
    if (heading) {
      pkg = heading[2] === undefined ? heading[1]! : `${heading[1]}.${heading[2]}`;
      continue;
    }
    const row = /^(\w+): (\d+ .*)$/.exec(line);
    const empty = /^(\w+):\s*$/.exec(line);
    if (pkg === "" || skippedPackages.has(pkg)) continue;
    if (row) rows.push({ pkg, name: row[1]!, fields: row[2]! });
    else if (empty) rows.push({ pkg, name: empty[1]!, fields: "" });
  }
  const ids = new Set(rows.map((row) => `${row.pkg}.${row.name}`));
  for (const row of rows) {
    if (row.name in scalarOfMessage) continue;
    const fields = row.fields === "" ? [] : row.fields.split(/, (?=\d+ )/);
    types[`${row.pkg}.${row.name}`] = {
      fields: fields.map((field) => parseField(field, row.pkg, ids)),
    };
  }
  return types;
}

function parseField(text: string, pkg: string, ids: Set<string>): Mutable<FieldSchema> {
  const match = /^(\d+) ([^ ?!^]+)([?!^]*) (\S+?)([*%]?)$/.exec(text);
  if (!match) throw new Error(`cannot read field "${text}" in ${pkg}`);
  const [, number, names, flags, typeWord, container] = match as unknown as string[];
  const field: Mutable<FieldSchema> = {
    name: names!.split("=>").at(-1)!,
    number: Number(number),
    type: resolveType(typeWord!, pkg, ids),
  };
  if (container === "*") field.container = "list";
  if (container === "%") field.container = "map";
  if (flags!.includes("?")) field.pointer = true;
  if (flags!.includes("!")) field.always = true;
  if (flags!.includes("^")) field.inline = true;
  return field;
}

function resolveType(word: string, pkg: string, ids: Set<string>): string {
  if (word in scalarOfLetter) return scalarOfLetter[word]!;
  const [first, second] = word.split(".");
  if (second !== undefined) {
    const id = `${first}.v1.${second}`;
    if (second in scalarOfMessage) return scalarOfMessage[second]!;
    if (!ids.has(id)) throw new Error(`unknown type ${word} in ${pkg}`);
    return id;
  }
  if (word in scalarOfMessage) return scalarOfMessage[word]!;
  if (ids.has(`${pkg}.${word}`)) return `${pkg}.${word}`;
  if (sharedTypes.has(word)) return `meta.v1.${word}`;
  throw new Error(`unknown type ${word} in ${pkg}`);
}

function applyLists(types: Types, text: string): void {
  for (const line of text.split("\n")) {
    const row = /^(\S+\.v\d\.\S+) (\S+) (\S+) (\S+)$/.exec(line);
    if (!row) continue;
    const [, owners, names, smp, ssa] = row as unknown as string[];
    for (const owner of owners!.split(/,(?=\w+\.v\d)/)) {
      const type = types[owner];
      if (!type) throw new Error(`lists.md names an unknown type: ${owner}`);
      if (names === "*") {
        if (ssa === "atomic") type.atomic = true;
        continue;
      }
      for (const name of names!.split(",")) markField(type.fields, owner, name, smp!, ssa!);
    }
  }
}

function markField(
  fields: Mutable<FieldSchema>[],
  owner: string,
  name: string,
  smp: string,
  ssa: string,
): void {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) throw new Error(`lists.md names an unknown field: ${owner}.${name}`);
  if (smp !== "replace") {
    const [strategies, mergeKey] = smp.split(":");
    field.patch = {
      merge: strategies!.split(",").includes("merge"),
      retainKeys: strategies!.split(",").includes("retainKeys"),
      ...(mergeKey === undefined ? {} : { mergeKey }),
    };
  }
  const keyed = /^map\[(.*)\]$/.exec(ssa);
  if (keyed) field.topology = { type: "map", keys: keyed[1]!.split(",") };
  else field.topology = { type: ssa as "set" | "atomic" | "granular" };
}

function applyGoTypes(types: Types, text: string): void {
  for (const line of text.split("\n")) {
    const row = /^(\S+): (\S+\.v\d.*)$/.exec(line);
    if (!row) continue;
    for (const path of row[2]!.split(" ")) {
      const dot = path.lastIndexOf(".");
      const field = types[path.slice(0, dot)]?.fields.find(
        ({ name }) => name === path.slice(dot + 1),
      );
      if (!field) throw new Error(`go-types.md names an unknown field: ${path}`);
      field.goType = row[1]!;
    }
  }
}

const allVerbs = "create delete deletecollection get list patch update watch".split(" ");

function parseResources(text: string, types: Types): ResourceSchema[] {
  const resources: ResourceSchema[] = [];
  let groupVersions: string[] = [];
  for (const line of text.split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    if (cells.length < 9 || cells[1] === "group/version" || cells[1]!.startsWith("---")) continue;
    if (cells[1] !== "same") groupVersions = readGroupVersions(cells[1]!);
    const names = cells[2]!.split(/, | \/ /);
    const kinds = cells[3]!.split(/, | \/ /);
    for (const groupVersion of groupVersions)
      names.forEach((name, index) =>
        resources.push(readResource(groupVersion, name, kinds[index]!, cells, types)),
      );
  }
  return resources.sort(discoveryOrder);
}

function readGroupVersions(cell: string): string[] {
  const [first, second] = cell.split(" and ");
  return second === undefined ? [cell] : [first!, `${first!.split("/")[0]}/${second}`];
}

function readResource(
  groupVersion: string,
  nameCell: string,
  kind: string,
  cells: string[],
  types: Types,
): ResourceSchema {
  const [group, apiVersion] = groupVersion.includes("/")
    ? (groupVersion.split("/") as [string, string])
    : ["", groupVersion];
  const named = /^(\w+)(?: \(singular (\w+)\))?$/.exec(nameCell);
  if (!named) throw new Error(`cannot read resource name "${nameCell}"`);
  const type = `${group === "" ? "core" : group.split(".")[0]}.${apiVersion}.${kind}`;
  if (!(type in types)) throw new Error(`resource ${nameCell} has no type ${type}`);
  const words = (cell: string): string[] => (cell === "" ? [] : cell.split(","));
  const own = { group, version: apiVersion, kind };
  return {
    group,
    version: apiVersion,
    resource: named[1]!,
    singular: named[2] ?? kind.toLowerCase(),
    kind,
    shortNames: words(cells[4]!),
    categories: words(cells[6]!),
    namespaced: cells[5] === "N",
    verbs: readVerbs(cells[7]!),
    subresources: readSubresources(cells[8]!, own),
    type,
    storageVersionHash: createHash("sha256")
      .update(storedAs[type] ?? `${group}/${apiVersion}/${kind}`)
      .digest()
      .subarray(0, 8)
      .toString("base64"),
  };
}

function readVerbs(cell: string): string[] {
  if (cell === "C") return ["create"];
  if (cell === "ALL") return allVerbs;
  const minus = /^ALL minus (\w+)$/.exec(cell);
  return minus ? allVerbs.filter((verb) => verb !== minus[1]) : cell.split(" ").sort();
}

function readSubresources(cell: string, own: GroupVersionKind): SubresourceSchema[] {
  if (cell === "") return [];
  return cell.split(/, (?![^(]*\))/).map((text) => {
    const match = /^(\w+)(?:\((?:([^:]+): ?)?([a-z ]+)\)|\(([A-Za-z]+)\))?$/.exec(text);
    if (!match) throw new Error(`cannot read subresource "${text}"`);
    const [, name, kindText, verbText] = match as unknown as (string | undefined)[];
    const kind = kindText === undefined ? defaultKind(name!, own) : readKind(kindText, own);
    const verbs = verbText === undefined ? defaultVerbs(name!) : verbText.split(" ").sort();
    return { name: name!, kind, verbs };
  });
}

function defaultVerbs(name: string): string[] {
  if (name === "status" || name === "scale") return ["get", "patch", "update"];
  throw new Error(`subresource ${name} needs verbs`);
}

function defaultKind(name: string, own: GroupVersionKind): GroupVersionKind {
  return name === "scale" ? { group: "autoscaling", version: "v1", kind: "Scale" } : own;
}

function readKind(text: string, own: GroupVersionKind): GroupVersionKind {
  const [groupVersion, kind] = text.split(" ");
  if (kind === undefined) return { ...own, kind: text };
  const [group, apiVersion] = groupVersion!.split("/");
  return { group: group!, version: apiVersion!, kind };
}

function discoveryOrder(a: ResourceSchema, b: ResourceSchema): number {
  const groups = groupOrder.indexOf(a.group) - groupOrder.indexOf(b.group);
  if (groups !== 0) return groups;
  if (a.version !== b.version) return a.version > b.version ? -1 : 1;
  return a.resource < b.resource ? -1 : 1;
}

function printSchema(types: Types, resources: ResourceSchema[]): string {
  const lines = Object.entries(types).map(([id, type]) => {
    const fields = type.fields.map((field) => `\n      ${JSON.stringify(field)}`).join(",");
    const atomic = type.atomic ? '"atomic":true,' : "";
    return `    ${JSON.stringify(id)}: {${atomic}"fields":[${fields}]}`;
  });
  const rows = resources.map((resource) => `    ${JSON.stringify(resource)}`);
  return `{
  "version": ${JSON.stringify(version)},
  "types": {\n${lines.join(",\n")}\n  },
  "resources": [\n${rows.join(",\n")}\n  ]
}\n`;
}

/** What OpenAPI documents say of types and fields beyond their shape; a name that is no type's or field's is an error. */
function printDescriptions(types: Types, texts: string, needs: string, values: string): string {
  const described: Record<string, Record<string, unknown>> = {};
  const put = (key: string, part: string, value: unknown): void => {
    const [, type = "", field] = /^(\*|\w+\.v\d\w*\.\w+)(?:\.(.+))?$/.exec(key) ?? [];
    const isKnown = type === "*" || type in types || (type.split(".")[2] ?? "") in scalarOfMessage;
    // Inlined fields are described where they are declared.
    const fields = types[type]?.fields.map(({ name }) => name) ?? [];
    if (!isKnown || (field !== undefined && type !== "*" && !fields.includes(field)))
      throw new Error(`no such type or field: ${key}`);
    const entry = (described[type] ??= {});
    if (field === undefined) entry[part] = value;
    else entry[part] = { ...(entry[part] as object | undefined), [field]: value };
  };
  for (const [, key, text] of texts.matchAll(/^((?:\*|\w+\.v\d\w*)\.\S+): (.+)$/gm))
    put(key!, /^(\*|\w+\.v\d\w*\.\w+)\./.test(key!) ? "fields" : "text", text);
  for (const [, type, names] of needs.matchAll(/^(\w+\.v\d\w*\.\w+): (.+)$/gm)) {
    const known = flatten(types[type!]!, types).map(({ name }) => name);
    const unknown = names!.split(", ").find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`no such field: ${type}.${unknown}`);
    put(type!, "required", names!.split(", "));
  }
  for (const [, keys, words] of values.matchAll(/^((?:\w+\.v\d\w*\.\S+ ?)+): (.+)$/gm))
    for (const key of keys!.split(" ")) put(key, "values", words!.split(", "));
  for (const [, keys, value] of values.matchAll(/^((?:\w+\.v\d\w*\.\S+ )+)default (.+)$/gm))
    for (const key of keys!.trim().split(" ")) put(key, "defaults", JSON.parse(value!));
  return `${JSON.stringify(described, null, 1)}\n`;
}

/* ---- TypeScript interfaces, one file a group version ---- */

const scalarTypeScript: Record<string, string> = {
  string: "string",
  bool: "boolean",
  int32: "number",
  int64: "number",
  uint32: "number",
  double: "number",
  bytes: "string",
  time: "string | null",
  microTime: "string | null",
  duration: "string",
  quantity: "string",
  intOrString: "number | string",
  json: "unknown",
  rawExtension: "unknown",
  stringList: "string[]",
  schemaOrArray: "JSONSchemaProps | JSONSchemaProps[]",
  schemaOrBool: "JSONSchemaProps | boolean",
  schemaOrStringArray: "JSONSchemaProps | string[]",
};

function writeTypeScript(types: Types, resources: ResourceSchema[]): void {
  const folder = `${root}/src/api/types`;
  mkdirSync(folder, { recursive: true });
  const kinds = new Map(resources.map((resource) => [resource.type, resource]));
  const packages = new Set(Object.keys(types).map((id) => id.split(".").slice(0, 2).join(".")));
  for (const pkg of packages) {
    const imports = new Map<string, Set<string>>();
    const bodies = Object.entries(types)
      .filter(([id]) => id.startsWith(`${pkg}.`))
      .map(([id, type]) => interfaceText(id, type, types, pkg, kinds, imports));
    const head = [...imports]
      .sort()
      .map(
        ([from, names]) =>
          `import type { ${[...names].sort().join(", ")} } from "./${from.replace(".", "-")}.ts";\n`,
      );
    writeFileSync(
      `${folder}/${pkg.replace(".", "-")}.ts`,
      `// Made by scripts/generate-schema.ts; do not edit. int64 values beyond 2^53 are bigint at run time.\n${head.join("")}\n${bodies.join("\n")}`,
    );
  }
}

/** What a typed client knows: `deployments.apps` -> the interface of its kind, at the version discovery prefers. */
function writeResourceMap(resources: ResourceSchema[]): void {
  const preferred = new Map<string, ResourceSchema>();
  for (const resource of resources) {
    const key =
      resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
    if (!preferred.has(key)) preferred.set(key, resource);
  }
  const moduleOf = (type: string): string => type.split(".").slice(0, 2).join("-");
  const aliasOf = (type: string): string => moduleOf(type).replace("-v", "V");
  const imports = new Set(
    [...preferred.values()].map(
      ({ type }) => `import type * as ${aliasOf(type)} from "./${moduleOf(type)}.ts";\n`,
    ),
  );
  const rows = [...preferred].map(
    ([key, { type, kind }]) => `  ${JSON.stringify(key)}: ${aliasOf(type)}.${kind};\n`,
  );
  writeFileSync(
    `${root}/src/api/types/resources.ts`,
    `// Made by scripts/generate-schema.ts; do not edit. Each resource, as \`plural.group\`, and its kind's interface.\n${[...imports].sort().join("")}\nexport interface ResourceTypes {\n${rows.join("")}}\n`,
  );
}

function interfaceText(
  id: string,
  type: TypeSchema,
  types: Types,
  pkg: string,
  kinds: Map<string, ResourceSchema>,
  imports: Map<string, Set<string>>,
): string {
  const name = id.split(".")[2]!;
  const lines = flatten(type, types).map((field) => fieldText(field, pkg, imports));
  const isTemplate = /Template(Spec)?$/.test(name) && !kinds.has(id);
  if (type.fields.some((field) => field.name === "metadata") && !isTemplate)
    lines.unshift("  apiVersion?: string;\n", "  kind?: string;\n");
  return `export interface ${name} {\n${lines.join("")}}\n`;
}

function flatten(type: TypeSchema, types: Types): FieldSchema[] {
  return type.fields.flatMap((field) =>
    field.inline ? flatten(types[field.type]!, types) : [field],
  );
}

function fieldText(field: FieldSchema, pkg: string, imports: Map<string, Set<string>>): string {
  let text = scalarTypeScript[field.type];
  if (text === undefined) {
    const [fromPkg, fromVersion, name] = field.type.split(".") as [string, string, string];
    text = name;
    if (`${fromPkg}.${fromVersion}` !== pkg) {
      const names = imports.get(`${fromPkg}.${fromVersion}`) ?? new Set();
      imports.set(`${fromPkg}.${fromVersion}`, names.add(name));
    }
  }
  if (field.container === "list") text = text.includes("|") ? `(${text})[]` : `${text}[]`;
  if (field.container === "map") text = `Record<string, ${text}>`;
  const isMeta = field.name === "metadata" && field.type === "meta.v1.ObjectMeta";
  const optional = !isMeta && !(field.always === true && field.container === undefined);
  const key = /^[A-Za-z]\w*$/.test(field.name) ? field.name : JSON.stringify(field.name);
  return `  ${key}${optional ? "?" : ""}: ${text};\n`;
}

main();
