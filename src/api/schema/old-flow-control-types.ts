// The types of flowcontrol.apiserver.k8s.io's beta versions, made from v1's: they differ in the names of shares alone
// (upstream: k8s.io/api/flowcontrol/v1beta1 to v1beta3).

/** Newest first. */
const oldVersions = ["v1beta3", "v1beta2", "v1beta1"] as const;
const prefix = "flowcontrol.v1.";

interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly always?: true;
}

interface Message {
  readonly fields: readonly Field[];
}

/** Types that lead to the shares, or are named by a version's kind; all others are v1's own. */
const renewed: readonly string[] = [
  "FlowSchema",
  "PriorityLevelConfiguration",
  "PriorityLevelConfigurationSpec",
  "LimitedPriorityLevelConfiguration",
];

/** `types`: all that the schema knows, by id. */
export function oldFlowControlTypes(
  types: Readonly<Record<string, Message>>,
): Readonly<Record<string, Message>> {
  const all: Record<string, Message> = {};
  for (const version of oldVersions) {
    for (const name of renewed) {
      const type = types[prefix + name];
      if (type === undefined) continue;
      const fields = type.fields.map((field) => oldField(field, version));
      all[`flowcontrol.${version}.${name}`] = { ...type, fields };
    }
  }
  return all;
}

function oldField(field: Field, version: (typeof oldVersions)[number]): Field {
  const own = field.type.startsWith(prefix) ? field.type.slice(prefix.length) : "";
  if (renewed.includes(own)) return { ...field, type: `flowcontrol.${version}.${own}` };
  const isShares = field.name === "nominalConcurrencyShares" && field.number === 1;
  if (!isShares || version === "v1beta3") return field;
  return { name: "assuredConcurrencyShares", number: field.number, type: "int32", always: true };
}
