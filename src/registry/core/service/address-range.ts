// The service network as numbers: which addresses there are to give, and in which part of it to look first.

export interface AddressRange {
  /** As configured: `10.96.0.0/16`. */
  readonly cidr: string;
  /** The first address to give, as a number. */
  readonly first: number;
  /** How many there are; network and broadcast address are not among them. */
  readonly size: number;
}

/** Throws RangeError for what is no IPv4 network with at least four addresses. */
export function parseAddressRange(cidr: string): AddressRange {
  const [text = "", bits = ""] = cidr.split("/");
  const address = parseAddress(text);
  const length = /^\d{1,2}$/.test(bits) ? Number(bits) : 99;
  if (address === undefined || length > 30) throw new RangeError(`not an IPv4 network: ${cidr}`);
  const all = 2 ** (32 - length);
  return { cidr, first: Math.floor(address / all) * all + 1, size: all - 2 };
}

/** Undefined for anything but four decimal parts without leading zeros. */
export function parseAddress(text: string): number | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let address = 0;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    address = address * 256 + Number(part);
  }
  return address;
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

/** Inclusive. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Where choice by chance starts: what lies below is left to those who ask for a certain one (KEP-3070). Steps are 1/16
 * of the addresses and 1/32 of the ports, between 16 and 256 or 128.
 */
export function addressBand(size: number): number {
  return size < 32 ? 0 : Math.min(Math.max(16, Math.floor(size / 16)), 256);
}

export function portBand(size: number): number {
  return size < 32 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128);
}
