// Who a request is from, as authentication says and everything later reads (upstream: user.Info).
export interface UserInfo {
  readonly name: string;
  /** "" when the authenticator knows none. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
