/** The values that a field has had lately, with their shares, and those that it never had. Pure. */
import type { StreamValues } from "../api/streams";
import type { Scalar } from "../api/types";

type ValueShare = StreamValues["fields"][number]["values"][number];
export type ValuesOf = (field: string) => readonly Pick<ValueShare, "value" | "share">[];

/** More different values than these are no choice: numbers that are measured, names that are unique. */
const MAX_DISTINCT_VALUES = 1000;

/** 41 %; 0.3 %; under 0.1 % */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent < 0.1) return "under 0.1 %";
  return `${percent < 1 ? percent.toFixed(1) : Math.round(percent)} %`;
}

const fieldOf = (sample: StreamValues | null, field: string) =>
  sample?.fields.find(({ name }) => name === field);

/** The commonest first; nothing of a field whose values are hardly ever the same. */
export function commonValues(sample: StreamValues | null, field: string): readonly ValueShare[] {
  const found = fieldOf(sample, field);
  return !found || found.distinct > MAX_DISTINCT_VALUES ? [] : found.values;
}

/** Of the newest 2,000 events */
export const formatSample = (sample: StreamValues | null): string =>
  sample === null ? "" : `Shares of the newest ${sample.events.toLocaleString("en")} events.`;

/** A field, and a text that none of its events in the sample has. */
export interface Unseen {
  readonly field: string;
  readonly value: Scalar;
}

/** Whether it is known that no event of the sample has this value; of a field with more values than are told, nothing is. */
export function isUnseen(sample: StreamValues | null, field: string, value: Scalar): boolean {
  const found = fieldOf(sample, field);
  if (!found || found.values.length === 0 || found.distinct > found.values.length) return false;
  return !found.values.some((one) => one.value === value);
}

const EQUALS = /(`[^`]+`|[\p{L}_][\p{L}\p{N}_.]*)\s*[=!]=\s*"([^"\\]*)"/gu;

/** The first value in a condition that no event of the sample has. */
export function unseenIn(sample: StreamValues | null, condition: string): Unseen | null {
  for (const [, name = "", value = ""] of condition.matchAll(EQUALS)) {
    const field = name.replaceAll("`", "");
    if (isUnseen(sample, field, value)) return { field, value };
  }
  return null;
}

const MAX_NAMED_VALUES = 4;

/** No event of the newest 2,000 has state "failure"; it has "ok", "failed". */
export function formatUnseen(unseen: Unseen | null, sample: StreamValues | null): string | null {
  if (unseen === null || sample === null) return null;
  const values = commonValues(sample, unseen.field).map(({ value }) => JSON.stringify(value));
  const more = values.length > MAX_NAMED_VALUES ? ", …" : "";
  const named = `${values.slice(0, MAX_NAMED_VALUES).join(", ")}${more}`;
  const events = sample.events.toLocaleString("en");
  return `None of the newest ${events} events has ${unseen.field} ${JSON.stringify(unseen.value)}. They have ${named}.`;
}
