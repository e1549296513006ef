// The two sides of a binding, as informers hold them.
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";

export type Volume = Readonly<Served<PersistentVolume>>;
export type Claim = Readonly<Served<PersistentVolumeClaim>>;
