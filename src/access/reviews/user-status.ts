// A user as reviews show it; what is empty is left out.
import type { UserInfo as UserStatus } from "../../api/types/authentication-v1.ts";
import type { UserInfo } from "../../api/user-info.ts";

export function userStatus({ name, uid, groups, extra }: UserInfo): UserStatus {
  const copy = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return {
    username: name,
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(copy).length === 0 ? {} : { extra: copy }),
  };
}
