/** How long silences last, by the clocks of the zone that is shown. Times are microseconds. */
import { formatField, parseField } from "../core/time/parse";
import { beginDay } from "../core/time/range";
import { MINUTE, readZone, resolveLocal, spellZone, toLocal } from "../core/time/zone";
import type { NewSilence, Silence } from "./calls";

const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;
const MORNING = 8 * HOUR;

/** Tomorrow at 08:00. */
export const tomorrowMorning = (now: number): number => resolveLocal(toLocal(beginDay(now, 1)) + MORNING).us;

interface Snooze {
  id: string;
  title: string;
  until: (now: number) => number;
}

export const SNOOZES: readonly Snooze[] = [
  { id: "1h", title: "For 1 hour", until: (now) => now + HOUR },
  { id: "4h", title: "For 4 hours", until: (now) => now + 4 * HOUR },
  { id: "tomorrow", title: "Until tomorrow 08:00", until: tomorrowMorning },
];

/** The days of the week as the server names them. */
export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

export const PATTERNS = [
  ["always", "The whole time"],
  ["schedule", "At some hours of the week"],
  ["node", "While a node is true"],
] as const;
export type Pattern = (typeof PATTERNS)[number][0];

/** A silence as somebody fills it in. */
export interface SilenceDraft {
  alert: number | null;
  key: string;
  /** One label of alerts: team=bakery. */
  label: string;
  /** What `datetime-local` fields hold; empty: now. */
  begins: string;
  ends: string;
  reason: string;
  /** When it holds between its begin and its end. */
  pattern: Pattern;
  days: readonly Day[];
  from: string;
  to: string;
  /** A bool node: number of the plan, and name. */
  node: string;
}

export const newSilence = (alert: number | null, key: string, now: number): SilenceDraft => ({
  alert,
  key,
  label: "",
  begins: "",
  ends: formatField(now + HOUR),
  reason: "",
  pattern: "always",
  days: DAYS,
  from: "22:00",
  to: "04:00",
  node: "",
});

/** With another pattern; one that repeats holds for a year. */
export const withPattern = (draft: SilenceDraft, pattern: Pattern, now: number): SilenceDraft => ({
  ...draft,
  pattern,
  ends: formatField(now + (pattern === "always" ? HOUR : YEAR)),
});

export const spellNode = (plan: number, node: string): string => `${plan}/${node}`;

function splitNode(text: string): { plan: number; node: string } {
  const at = text.indexOf("/");
  return { plan: Number(text.slice(0, at)), node: text.slice(at + 1) };
}

const splitLabel = (text: string): [string, string] => {
  const at = text.indexOf("=");
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
};

function refusesPattern({ pattern, days, from, to, node }: SilenceDraft): string | null {
  if (pattern === "node") return node === "" ? "Choose a node." : null;
  if (pattern === "always") return null;
  if (days.length === 0) return "Choose a day.";
  if (from === "" || to === "") return "Give the hours.";
  return from === to ? "The hours begin and end at the same time." : null;
}

/** Why there can be no silence of these, or null. */
export function refusesSilence(draft: SilenceDraft, now: number): string | null {
  const { label, begins, ends, reason } = draft;
  if (label.trim() !== "" && label.indexOf("=") < 1)
    return "Write the label as name=text, such as team=bakery.";
  const [from, until] = [begins === "" ? now : parseField(begins)?.us, parseField(ends)?.us];
  if (from === undefined || until === undefined) return "Give a date and a time.";
  if (until <= Math.max(from, now)) return "The end must be later than now, and than the begin.";
  return refusesPattern(draft) ?? (reason.trim() === "" ? "Give a reason." : null);
}

const toIso = (us: number): string => new Date(us / 1000).toISOString();

function toPattern({ pattern, days, from, to, node }: SilenceDraft): Pick<NewSilence, "schedule" | "during"> {
  if (pattern === "node") return { during: splitNode(node) };
  return pattern === "always" ? {} : { schedule: { from, to, days: days.join(","), zone: readZone() } };
}

/** As it is sent; it is one that is not refused. */
export function toSilence(draft: SilenceDraft): NewSilence {
  const { alert, key, label, begins, ends, reason } = draft;
  const [name, text] = splitLabel(label);
  return {
    ...(alert === null ? {} : { alert }),
    ...(key.trim() === "" ? {} : { key: key.trim() }),
    ...(label.trim() === "" ? {} : { label: name, label_value: text }),
    ...(begins === "" ? {} : { begins_at: toIso(parseField(begins)?.us ?? 0) }),
    ends_at: toIso(parseField(ends)?.us ?? 0),
    reason: reason.trim(),
    ...toPattern(draft),
  };
}

/** When a silence holds between its begin and its end; null: the whole time. */
export function describePattern({ schedule, during }: Pick<Silence, "schedule" | "during">): string | null {
  if (schedule)
    return `${schedule.days ?? ""} ${schedule.from}–${schedule.to} ${spellZone(schedule.zone ?? "UTC")}`;
  return (
    during && `while ${during.node} is true${during.plan_name === null ? "" : ` in ${during.plan_name}`}`
  );
}

/** A silence that begins now, made with one press. */
export const snooze = (alert: number, key: string, until: number): NewSilence => ({
  alert,
  ...(key === "" ? {} : { key }),
  ends_at: toIso(until),
  reason: "Snoozed",
});
