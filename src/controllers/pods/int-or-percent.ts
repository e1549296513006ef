// Counts that may be given as a share of a total: 3, or "25%" (upstream: apimachinery intstr.GetScaledValueFromIntOrPercent).

export function scaledValue(
  value: number | string | undefined,
  total: number,
  rounding: "up" | "down",
): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const share = (Number.parseInt(value, 10) * total) / 100;
  if (Number.isNaN(share)) return 0;
  return rounding === "up" ? Math.ceil(share) : Math.floor(share);
}
