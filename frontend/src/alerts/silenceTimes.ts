/** How long silences last, by the clocks of the zone that is shown. Times are microseconds. */
import { formatField, parseField } from "../core/time/parse";
import { beginDay } from "../core/time/range";
import { MINUTE, resolveLocal, toLocal } from "../core/time/zone";
import type { NewSilence } from "./calls";

const HOUR = 60 * MINUTE;
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
}

export const newSilence = (alert: number | null, key: string, now: number): SilenceDraft => ({
  alert,
  key,
  label: "",
  begins: "",
  ends: formatField(now + HOUR),
  reason: "",
});

const splitLabel = (text: string): [string, string] => {
  const at = text.indexOf("=");
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
};

/** Why there can be no silence of these, or null. */
export function refusesSilence({ label, begins, ends, reason }: SilenceDraft, now: number): string | null {
  if (label.trim() !== "" && label.indexOf("=") < 1)
    return "Write the label as name=text, such as team=bakery.";
  const [from, until] = [begins === "" ? now : parseField(begins)?.us, parseField(ends)?.us];
  if (from === undefined || until === undefined) return "Give a date and a time.";
  if (until <= Math.max(from, now)) return "The end must be later than now, and than the begin.";
  return reason.trim() === "" ? "Give a reason." : null;
}

const toIso = (us: number): string => new Date(us / 1000).toISOString();

/** As it is sent; it is one that is not refused. */
export function toSilence({ alert, key, label, begins, ends, reason }: SilenceDraft): NewSilence {
  const [name, text] = splitLabel(label);
  return {
    ...(alert === null ? {} : { alert }),
    ...(key.trim() === "" ? {} : { key: key.trim() }),
    ...(label.trim() === "" ? {} : { label: name, label_value: text }),
    ...(begins === "" ? {} : { begins_at: toIso(parseField(begins)?.us ?? 0) }),
    ends_at: toIso(parseField(ends)?.us ?? 0),
    reason: reason.trim(),
  };
}

/** A silence that begins now, made with one press. */
export const snooze = (alert: number, key: string, until: number): NewSilence => ({
  alert,
  ...(key === "" ? {} : { key }),
  ends_at: toIso(until),
  reason: "Snoozed",
});
