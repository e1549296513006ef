// What a kubeconfig says of one context: where the server is, whom to trust, who we are. Data in the file or beside it;
// no exec plugins and no proxies.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";

export interface ServerCredentials {
  /** `https://host:port`, perhaps with a path. */
  readonly server: string;
  /** PEM; undefined: the system's authorities. */
  readonly ca: string | undefined;
  readonly serverName: string | undefined;
  readonly insecure: boolean;
  /** PEM pair of a client certificate. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly token: string | undefined;
}

type Section = Readonly<Record<string, string | boolean | undefined>>;

interface Kubeconfig {
  readonly "current-context"?: string;
  readonly clusters?: readonly { name: string; cluster: Section }[];
  readonly users?: readonly { name: string; user: Section }[];
  readonly contexts?: readonly { name: string; context: Section }[];
}

/** Throws when the context is not there or has no server. `context` absent: the current one. */
export function readKubeconfig(path: string, context?: string): ServerCredentials {
  return credentialsOf(readFileSync(path, "utf8"), dirname(path), context);
}

/** `folder` is what relative file names are relative to. */
export function credentialsOf(text: string, folder: string, context?: string): ServerCredentials {
  const config = (parse(text) ?? {}) as Kubeconfig;
  const wanted = context ?? config["current-context"] ?? "";
  const chosen = config.contexts?.find(({ name }) => name === wanted)?.context;
  if (chosen === undefined) throw new Error(`kubeconfig has no context "${wanted}"`);
  const cluster = config.clusters?.find(({ name }) => name === chosen["cluster"])?.cluster ?? {};
  const user = config.users?.find(({ name }) => name === chosen["user"])?.user ?? {};
  const server = textOf(cluster, "server");
  if (server === undefined) throw new Error(`kubeconfig context "${wanted}" names no server`);
  return {
    server,
    ca: pem(cluster, "certificate-authority", folder),
    serverName: textOf(cluster, "tls-server-name"),
    insecure: cluster["insecure-skip-tls-verify"] === true,
    certificate: pem(user, "client-certificate", folder),
    key: pem(user, "client-key", folder),
    token: textOf(user, "token") ?? fileText(user, "tokenFile", folder),
  };
}

function pem(section: Section, field: string, folder: string): string | undefined {
  const inline = textOf(section, `${field}-data`);
  if (inline !== undefined) return Buffer.from(inline, "base64").toString("utf8");
  return fileText(section, field, folder);
}

function fileText(section: Section, field: string, folder: string): string | undefined {
  const path = textOf(section, field);
  return path === undefined ? undefined : readFileSync(resolve(folder, path), "utf8").trim();
}

function textOf(section: Section, field: string): string | undefined {
  const value = section[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}
