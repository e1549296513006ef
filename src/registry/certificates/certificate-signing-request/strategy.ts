// CertificateSigningRequests carry who asked, never change after create but for their status, and keep approval
// (conditions Approved and Denied, by /approval) apart from issuance (by /status)
// (upstream: certificates/certificates/strategy.go).
import type { KubeObject } from "../../../api/object.ts";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
} from "../../../api/types/certificates-v1.ts";
import { keep } from "../../generic/prepare.ts";
import { plainStrategy, type Strategy, type WriteContext } from "../../strategy.ts";
import { timestamp } from "../../../api/meta/timestamp.ts";

export const certificateSigningRequestStrategy: Strategy = {
  ...plainStrategy,
  prepareForCreate: nameRequestor,
  prepareForUpdate: (object, old) => keep(object, old, "spec"),
  subresources: { status: prepareStatus, approval: prepareApproval },
};

function nameRequestor(object: KubeObject, { user }: WriteContext): void {
  const spec = (object["spec"] ?? {}) as CertificateSigningRequestSpec;
  spec.username = user.name;
  spec.uid = user.uid;
  spec.groups = [...user.groups];
  spec.extra = Object.fromEntries(
    Object.entries(user.extra).map(([key, values]) => [key, [...values]]),
  );
  if (spec.uid === "") delete spec.uid;
  if (spec.groups.length === 0) delete spec.groups;
  if (Object.keys(spec.extra).length === 0) delete spec.extra;
  object["spec"] = spec;
}

const isVerdict = ({ type }: CertificateSigningRequestCondition): boolean =>
  type === "Approved" || type === "Denied";

function conditionsOf(object: Readonly<KubeObject>): CertificateSigningRequestCondition[] {
  return (object as Readonly<CertificateSigningRequest>).status?.conditions ?? [];
}

function prepareStatus(object: KubeObject, old: Readonly<KubeObject>, { now }: WriteContext): void {
  const verdicts = conditionsOf(old).filter((condition) => isVerdict(condition));
  const others = conditionsOf(object).filter((condition) => !isVerdict(condition));
  setConditions(object, [...verdicts, ...dated(others, conditionsOf(old), now)]);
}

function prepareApproval(
  object: KubeObject,
  old: Readonly<KubeObject>,
  { now }: WriteContext,
): void {
  const conditions = dated(conditionsOf(object), conditionsOf(old), now);
  keep(object, old, "spec");
  keep(object, old, "status");
  setConditions(object, conditions);
}

function setConditions(object: KubeObject, conditions: CertificateSigningRequestCondition[]): void {
  const status = { ...(object["status"] as object) } as CertificateSigningRequest["status"] & {};
  if (conditions.length === 0) delete status.conditions;
  else status.conditions = conditions;
  object["status"] = status;
}

/** Fills in the times that were left out; a transition is a change of the condition's status. */
function dated(
  conditions: readonly CertificateSigningRequestCondition[],
  old: readonly CertificateSigningRequestCondition[],
  now: number,
): CertificateSigningRequestCondition[] {
  return conditions.map((condition) => {
    const before = old.find(({ type }) => type === condition.type);
    const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? timestamp(now),
      lastTransitionTime: condition.lastTransitionTime ?? since ?? timestamp(now),
    };
  });
}
