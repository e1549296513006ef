// The query parameters of LIST, WATCH and DELETECOLLECTION, parsed (api-machinery §4.1). Selectors are parsed later,
// where the resource's selectable fields are known.
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** "" when absent. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0 when absent. */
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}
