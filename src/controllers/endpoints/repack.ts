// The shape of an Endpoints object: addresses that are reached at the same ports stand together, in a fixed order, so
// that the same pods always give the same object (upstream: pkg/api/v1/endpoints/util.go RepackSubsets).
import type { EndpointAddress, EndpointSubset } from "../../api/types/core-v1.ts";
import { type ResolvedPort, portsKey } from "../endpoint-slice/ports.ts";

export interface Reached {
  readonly address: EndpointAddress;
  readonly ready: boolean;
  readonly ports: readonly ResolvedPort[];
}

export function repack(reached: readonly Reached[]): EndpointSubset[] {
  const subsets = new Map<string, EndpointSubset>();
  for (const { address, ready, ports } of reached) {
    const key = portsKey(ports);
    let subset = subsets.get(key);
    if (subset === undefined) {
      const sorted = ports.toSorted((a, b) => byText(portsKey([a]), portsKey([b])));
      subset = ports.length === 0 ? {} : { ports: sorted.map(portOf) };
      subsets.set(key, subset);
    }
    if (ready) (subset.addresses ??= []).push(address);
    else (subset.notReadyAddresses ??= []).push(address);
  }
  return [...subsets]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([, subset]) => {
      subset.addresses?.sort(byAddress);
      subset.notReadyAddresses?.sort(byAddress);
      return subset;
    });
}

/** At most `max` addresses, ready ones before others, each subset giving its share. Undefined when all fit. */
export function truncate(
  subsets: readonly EndpointSubset[],
  max: number,
): EndpointSubset[] | undefined {
  const ready = sum(subsets.map(({ addresses = [] }) => addresses.length));
  const unready = sum(subsets.map(({ notReadyAddresses = [] }) => notReadyAddresses.length));
  if (ready + unready <= max) return undefined;
  const cutsReady = ready > max;
  const room = cutsReady ? max : max - ready;
  const total = cutsReady ? ready : unready;
  let left = room;
  const share = (list: readonly EndpointAddress[] = []): EndpointAddress[] => {
    const taken = list.slice(0, Math.min(left, Math.ceil((list.length * room) / total)));
    left -= taken.length;
    return taken;
  };
  return subsets
    .map(({ addresses = [], notReadyAddresses, ports }) =>
      dropEmpty({
        addresses: cutsReady ? share(addresses) : addresses,
        notReadyAddresses: cutsReady ? [] : share(notReadyAddresses),
        ...(ports === undefined ? {} : { ports }),
      }),
    )
    .filter(({ addresses, notReadyAddresses }) => addresses ?? notReadyAddresses);
}

function dropEmpty(
  subset: Required<Omit<EndpointSubset, "ports">> & EndpointSubset,
): EndpointSubset {
  const { addresses, notReadyAddresses, ports } = subset;
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports === undefined ? {} : { ports }),
  };
}

function portOf({ name, ...port }: ResolvedPort): ResolvedPort | Omit<ResolvedPort, "name"> {
  return name === "" ? port : { name, ...port };
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  return byText(a.ip, b.ip) || byText(a.targetRef?.uid ?? "", b.targetRef?.uid ?? "");
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
