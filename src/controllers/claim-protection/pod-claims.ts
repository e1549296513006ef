// Pods by the claims they use, as an index of their informer.
import type { Pod } from "../../api/types/core-v1.ts";
import { claimKeysOf } from "../../api/volume/pod-claims.ts";
import type { Index } from "../../informer/index-functions.ts";

export const byClaim: Index<Pod> = { name: "claim", valuesOf: claimKeysOf };
