// References to secrets are names, nothing more (upstream: core/serviceaccount/strategy.go).
import type { KubeObject } from "../../../api/object.ts";
import type { ServiceAccount } from "../../../api/types/core-v1.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";

export const serviceAccountStrategy: Strategy = {
  ...plainStrategy,
  returnsDeleted: true,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
};

function keepSecretNames(object: KubeObject): void {
  const account = object as ServiceAccount;
  if (account.secrets === undefined) return;
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
