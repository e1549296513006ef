// Clients as data: who they are, how many, when they start and what they do. The same records drive `wavetank load`
// against a real server and the storms of rehearsals; population-schema.ts says what a file may hold.

export interface PopulationFile {
  readonly name: string;
  readonly description: string;
  /** What must be there before the clients start. */
  readonly prepare: readonly Fixture[];
  readonly populations: readonly Population[];
}

/** `count` objects of one shape; texts may hold {{.index}}, from 0, and {{.node}}. */
export interface Fixture {
  readonly manifest: Manifest;
  readonly count: number;
  /** {{.node}} goes round node-1 ... node-N. */
  readonly nodes: number;
  readonly pad?: Pad;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** A text of so many bytes at a field, e.g. `data.fill`; valid as base64. */
export interface Pad {
  readonly field: string;
  readonly bytes: number;
}

export interface Population {
  readonly name: string;
  readonly count: number;
  /** {{.node}} of member i is node-(i mod nodes + 1). */
  readonly nodes: number;
  readonly identity: PopulationIdentity;
  readonly userAgent: string;
  readonly connection: "member" | "population";
  readonly protocol: "http2" | "http1";
  /** A name of client-library.ts: how it calls, lists, watches and backs off. */
  readonly library: string;
  readonly rateLimit?: { readonly qps: number; readonly burst: number };
  readonly start: StartLaw;
  readonly behaviour: Behaviour;
}

export type PopulationIdentity =
  /** Whoever the connection proves to be. */
  | { readonly kind: "self" }
  | { readonly kind: "user"; readonly name: string; readonly groups: readonly string[] }
  | { readonly kind: "serviceAccount"; readonly namespace: string; readonly name: string };

export type StartLaw =
  | { readonly kind: "together"; readonly afterSeconds: number }
  | { readonly kind: "staggered"; readonly afterSeconds: number; readonly everySeconds: number }
  | { readonly kind: "jitter"; readonly afterSeconds: number; readonly overSeconds: number }
  /** When the server has been away and is back. */
  | { readonly kind: "serverRestart"; readonly afterSeconds: number; readonly overSeconds: number };

export type Behaviour =
  | InformerBehaviour
  | VectorBehaviour
  | ListerBehaviour
  | PollerBehaviour
  | BystanderBehaviour
  | HotWriterBehaviour
  | MassDeleterBehaviour
  | CreatorBehaviour
  | KubeletBehaviour;

/** What one view of the cluster selects; texts are templates. */
export interface View {
  /** `pods`, `deployments.apps`, or `plural.version.group` of a custom resource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** LIST and WATCH by the library's law. */
export interface InformerBehaviour {
  readonly kind: "informer";
  readonly views: readonly View[];
  /** Each view so many times: sources, sidecars, badly shared caches. */
  readonly copies: number;
  /** How long a member stays when all its views are complete; absent: for ever. */
  readonly staySeconds?: number;
}

/** Vector's kubernetes_logs: three watchers a source. */
export interface VectorBehaviour {
  readonly kind: "vector";
  readonly sources: number;
  readonly useApiserverCache: boolean;
  readonly staySeconds?: number;
}

/** With a name it is a GET, without one a LIST. */
export interface Read extends View {
  readonly name?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  readonly limit?: number;
}

/** So many reads, so many at once, then done. */
export interface ListerBehaviour {
  readonly kind: "lister";
  readonly read: Read;
  readonly times: number;
  readonly parallel: number;
}

export interface PollerBehaviour {
  readonly kind: "poller";
  readonly read: Read;
  readonly everySeconds: number;
  /** Up to so much more, drawn each time. */
  readonly jitterSeconds: number;
}

/** A small GET each second, whose waiting tells what the storm does to others. */
export interface BystanderBehaviour {
  readonly kind: "bystander";
  readonly read: Read;
  readonly everySeconds: number;
}

export interface HotWriterBehaviour {
  readonly kind: "hot-writer";
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly verb: "patch" | "put";
  /** Whether the object differs after each write. */
  readonly change: "none" | "small";
  /** 0: as fast as answers come. */
  readonly everySeconds: number;
  /** Absent: for ever. */
  readonly times?: number;
}

export interface MassDeleterBehaviour {
  readonly kind: "mass-deleter";
  readonly resource: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** As kubectl does, or one DELETE of the collection. */
  readonly mode: "each" | "collection";
  readonly pageLimit: number;
  readonly parallel: number;
  readonly gracePeriodSeconds?: number;
}

export interface CreatorBehaviour {
  readonly kind: "creator";
  readonly manifest: Manifest;
  readonly times: number;
  /** 0: as fast as answers come. */
  readonly perSecond: number;
  readonly pad?: Pad;
}

/** A node's kubelet after it started: one reflector for each Secret and ConfigMap that its pods name. */
export interface KubeletBehaviour {
  readonly kind: "kubelet";
  readonly pods: number;
  readonly secretsPerPod: number;
  readonly configMapsPerPod: number;
  readonly namespace: string;
  /** Templates with {{.node}}, {{.pod}} and {{.object}}. */
  readonly secretName: string;
  readonly configMapName: string;
  /** Of all references, those that only `env` makes: read once, when the container starts. */
  readonly envShare: number;
  /** Of all objects, those that are immutable: no watch once they were read. */
  readonly immutableShare: number;
  /** `1.20`: watches for ever. `1.21`: idle and unsynced ones are recycled. `1.23`: idle ones only. */
  readonly watchLaw: "1.20" | "1.21" | "1.23";
}
