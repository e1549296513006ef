// Who am I, and what may I do here (upstream: registry/authentication/selfsubjectreview, registry/authorization/
// selfsubjectrulesreview).
import { badRequest } from "../../api/meta/errors.ts";
import type { SelfSubjectReviewStatus } from "../../api/types/authentication-v1.ts";
import type { ResourceRule, SubjectRulesReviewStatus } from "../../api/types/authorization-v1.ts";
import type { PolicyRule } from "../../api/types/rbac-v1.ts";
import type { Clock } from "../../host/host.ts";
import type { RuleResolver } from "../rule-resolver.ts";
import { userStatus } from "./user-status.ts";
import type { Review } from "./review.ts";
import { timestamp } from "../../api/meta/timestamp.ts";
import { joinedErrors } from "../go-text.ts";

export function selfSubjectReview(clock: Clock): Review {
  return {
    async review(object, { user }) {
      const creationTimestamp = timestamp(clock.now());
      const status: SelfSubjectReviewStatus = { userInfo: userStatus(user) };
      return { ...object, metadata: { ...object.metadata, creationTimestamp }, status };
    },
  };
}

export function selfSubjectRulesReview(resolver: RuleResolver): Review {
  return {
    async review(object, { user }) {
      const { namespace = "" } = (object["spec"] ?? {}) as { namespace?: string };
      if (namespace === "") throw badRequest("no namespace on request");
      const { rules, errors, incomplete = false } = resolver.rulesFor(user, namespace);
      const status: SubjectRulesReviewStatus = {
        resourceRules: rules.filter((rule) => (rule.resources ?? []).length > 0).map(resourceRule),
        nonResourceRules: rules
          .filter((rule) => (rule.nonResourceURLs ?? []).length > 0)
          .map(({ verbs = [], nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
        incomplete,
        ...(errors.length === 0 ? {} : { evaluationError: joinedErrors(errors) }),
      };
      return { ...object, status };
    },
  };
}

function resourceRule(rule: PolicyRule): ResourceRule {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const names = resourceNames.length === 0 ? {} : { resourceNames };
  return { verbs, apiGroups, resources, ...names };
}
