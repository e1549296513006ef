// `wavetank up`: the options, and what they mean to a control plane that starts.
import { type Command, Option } from "commander";
import { runawayLawDefaults } from "../access/runaway-owner/law.ts";
import { nodesMax } from "../kubelet/node-object.ts";
import { type AccountingFlags, accountingOptions, addAccountingFlags } from "./accounting-flags.ts";
import { type ApiRateFlags, addApiRateFlags, apiRateStartOptions } from "./api-rate-flags.ts";
import { commaList, jsonOnly, wholeNumber } from "./argument.ts";
import {
  type FlowControlFlags,
  addFlowControlFlags,
  flowControlStartOptions,
} from "./flow-control-flags.ts";
import { type GuardFlags, addGuardFlags, guardStartOptions } from "./guard-flags.ts";
import type { StartOptions } from "./options.ts";
import { up } from "./up.ts";

interface UpFlags extends ApiRateFlags, FlowControlFlags, AccountingFlags, GuardFlags {
  readonly port: number;
  readonly bindAddress: string;
  readonly dataDir: string;
  readonly memory?: true;
  readonly durability: "sync" | "relaxed";
  readonly kubernetesVersion?: string;
  readonly profile?: string;
  readonly taintManager: boolean;
  readonly kubeconfig?: string;
  readonly etcdServers?: readonly string[];
  readonly etcdPrefix: string;
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
  readonly tokenAuthFile?: string;
  readonly serviceClusterIpRange: string;
  readonly controllers: boolean;
  readonly nodes: number;
  readonly runawayOwnerLimit: number;
  readonly tlsSan?: readonly string[];
  readonly logLevel: "info" | "warn" | "error" | "silent";
  readonly output?: "json";
}

const upExamples =
  "\nExamples:\n" +
  "  wavetank up                          durable, in ./.wavetank\n" +
  "  wavetank up --memory --port 0        a throw-away server on a free port\n" +
  "  wavetank up --etcd-servers http://127.0.0.1:2379";

export function addUp(program: Command): void {
  const command = program
    .command("up")
    .description("start a Kubernetes API server on this machine")
    .showHelpAfterError("(wavetank up --help lists the options)")
    .option("--port <number>", "TCP port; 0 picks a free one", wholeNumber(0, 65_535), 6443)
    .option(
      "--bind-address <ip>",
      "address to listen on; the default lets nobody else in",
      "127.0.0.1",
    )
    .option("--data-dir <folder>", "where objects, keys and kubeconfig are kept", ".wavetank")
    .option("--memory", "keep objects in memory: they are gone when the process ends")
    .addOption(
      new Option(
        "--durability <mode>",
        "sync: a write is answered when it is on disk. relaxed: faster; a crash may lose the last writes",
      )
        .choices(["sync", "relaxed"])
        .default("sync"),
    )
    .option(
      "--kubernetes-version <version>",
      "behave as this Kubernetes minor, 1.16 to 1.36; the API stays that of 1.36",
    )
    .addOption(
      new Option("--profile <version>", "as --kubernetes-version").conflicts("kubernetesVersion"),
    )
    .option("--no-taint-manager", "up to 1.26: as --enable-taint-manager=false")
    .option("--kubeconfig <path>", "where to write the kubeconfig (default: <data-dir>/kubeconfig)")
    .option("--etcd-servers <urls>", "use a real etcd: comma-separated URLs", commaList)
    .option("--etcd-prefix <prefix>", "where in etcd the objects are", "/registry")
    .option("--etcd-cafile <path>", "CA of the etcd servers")
    .option("--etcd-certfile <path>", "client certificate for etcd")
    .option("--etcd-keyfile <path>", "client key for etcd")
    .option("--token-auth-file <path>", 'CSV of token,user,uid,"group1,group2"')
    .option("--no-controllers", "only the API server: nothing acts on the objects")
    .option("--nodes <number>", "simulated nodes that run pods", wholeNumber(0, nodesMax), 0)
    .option(
      "--runaway-owner-limit <number>",
      "pods that never ran which one owner may replace before it is slowed down; 0: any number",
      wholeNumber(0),
      runawayLawDefaults.limit,
    )
    .option("--service-cluster-ip-range <cidr>", "addresses for Services", "10.96.0.0/16")
    .option(
      "--tls-san <names>",
      "more names for the server certificate, comma-separated",
      commaList,
    )
    .addOption(
      new Option("--log-level <level>", "what to write on stderr")
        .choices(["info", "warn", "error", "silent"])
        .default("warn"),
    )
    .option("-o, --output <format>", "json: one line with url, kubeconfig and dataDir", jsonOnly)
    .addHelpText("after", upExamples)
    .action((flags: UpFlags) => up(startOptions(flags), flags.output === "json"));
  addApiRateFlags(command);
  addFlowControlFlags(command);
  addGuardFlags(command);
  addAccountingFlags(command);
}

function startOptions(flags: UpFlags): StartOptions {
  const kubernetesVersion = flags.kubernetesVersion ?? flags.profile;
  return {
    port: flags.port,
    bindAddress: flags.bindAddress,
    dataDir: flags.dataDir,
    memory: flags.memory ?? false,
    durability: flags.durability,
    serviceClusterIpRange: flags.serviceClusterIpRange,
    controllers: flags.controllers,
    nodes: flags.nodes,
    taintManager: flags.taintManager,
    runawayOwnerLimit: flags.runawayOwnerLimit,
    ...accountingOptions(flags),
    ...flowControlStartOptions(flags),
    ...guardStartOptions(flags),
    certificateNames: flags.tlsSan ?? [],
    logLevel: flags.logLevel,
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
    ...apiRateStartOptions(flags),
    ...(flags.kubeconfig === undefined ? {} : { kubeconfigPath: flags.kubeconfig }),
    ...(flags.tokenAuthFile === undefined ? {} : { tokenAuthFile: flags.tokenAuthFile }),
    ...(flags.etcdServers === undefined
      ? {}
      : {
          etcd: {
            servers: flags.etcdServers,
            prefix: flags.etcdPrefix,
            ...(flags.etcdCafile === undefined ? {} : { caFile: flags.etcdCafile }),
            ...(flags.etcdCertfile === undefined ? {} : { certFile: flags.etcdCertfile }),
            ...(flags.etcdKeyfile === undefined ? {} : { keyFile: flags.etcdKeyfile }),
          },
        }),
  };
}
