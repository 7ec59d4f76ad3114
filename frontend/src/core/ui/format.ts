/** Lengths of time, sizes and numbers for people. */

const UNITS: readonly [us: number, name: string][] = [
  [86_400_000_000, "d"],
  [3_600_000_000, "h"],
  [60_000_000, "min"],
  [1_000_000, "s"],
  [1_000, "ms"],
];

/** A length of time in its two greatest units: 1 h 5 min, 12.3 s, 40 ms. */
export function formatLength(us: number): string {
  const index = UNITS.findIndex(([unit]) => us >= unit);
  const [unit, name] = UNITS[index] ?? [1, "µs"];
  if (index < 0 || unit <= 1_000_000) return `${Number((us / unit).toFixed(1))} ${name}`;
  const [smaller, smallerName] = UNITS[index + 1] ?? [1, ""];
  const rest = Math.floor((us % unit) / smaller);
  return `${Math.floor(us / unit)} ${name}${rest > 0 ? ` ${rest} ${smallerName}` : ""}`;
}

/** How long a batch takes; the first after a start, which starts processes, does not count. */
export const formatBatchTime = (ms: number): string =>
  ms > 0 ? formatLength(ms * 1000) : "not measured yet";

/** What a node reads: rates are of these, though of what other nodes say whole batches wait. */
export const readOf = (waiting: "events" | "batches"): string =>
  waiting === "events" ? "events" : "revisions";

/** How many of these are worked on in a second at work. */
export const formatPace = (perSecond: number, waiting: "events" | "batches"): string =>
  perSecond > 0 ? `${formatRate(perSecond)} ${readOf(waiting)}/s` : "not measured yet";

/** How long ago, in its greatest unit. */
export function formatAgo(iso: string, now: number): string {
  const us = (now - Date.parse(iso)) * 1000;
  const [unit] = UNITS.find(([one]) => us >= one) ?? [1];
  return us < 5_000_000 ? "just now" : `${formatLength(us - (us % unit))} ago`;
}

const SIZES = ["bytes", "kB", "MB", "GB", "TB"];

/** A size in its greatest unit: 512 bytes, 4.2 MB. */
export function formatSize(bytes: number): string {
  const place = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZES.length - 1);
  return `${Number((bytes / 1000 ** place).toFixed(place === 0 ? 0 : 1))} ${SIZES[place]}`;
}

/** How often in a second: 0, 0.4, 1,204. */
export function formatRate(perSecond: number): string {
  return perSecond >= 100 || perSecond === 0
    ? Math.round(perSecond).toLocaleString("en")
    : perSecond.toFixed(1);
}

/** plan of plans: what is counted ends in s. */
export const singular = (what: string): string => what.replace(/s$/, "");

/** 1 plan, 2,000 plans. */
export const formatCounted = (many: number, what: string): string =>
  `${many.toLocaleString("en")} ${many === 1 ? singular(what) : what}`;
