/** The steps of a sequence, and what breaks it, as they stand in a document. Pure. */
import type { DocumentNode, ParameterValue, SequencePart } from "../api/types";
import { omitKey } from "./records";

export const MAX_STEPS = 10;

/** What a document holds, as far as it is a list of parts. */
export function partsOf(value: ParameterValue | undefined): SequencePart[] {
  return Array.isArray(value) ? value.filter((sequencePart) => typeof sequencePart === "object") : [];
}

function spellPart({ name, stream, where, within, between }: SequencePart): string {
  const limits = [within && `within ${within}`, between && `between ${between.join(" and ")}`];
  const events = [stream, where].filter(Boolean).join(" ");
  return [`${name === undefined ? "" : `${name}: `}${events}`, ...limits.filter(Boolean)].join(", ");
}

/** Steps one after the other, or what breaks them, each with the events that are meant. */
export function spellParts(parts: readonly SequencePart[]): string {
  return parts.map(spellPart).join(parts.some(({ name }) => name !== undefined) ? " → " : "; ");
}

export function stepNames(value: ParameterValue | undefined): string[] {
  return partsOf(value).flatMap(({ name }) => (name ? [name] : []));
}

/** The streams that a node reads: its own, or those that its steps and what breaks them name. */
export function streamsOf({ stream, params = {} }: DocumentNode): string[] {
  const parts = Object.values(params).flatMap(partsOf);
  return stream === undefined ? parts.flatMap((part) => part.stream || []) : [stream];
}

/** A step more, with a name that no other has, of the stream of the last one. */
export function withStep(steps: readonly SequencePart[], stream: string): SequencePart[] {
  const taken = new Set(steps.map(({ name }) => name));
  let number = steps.length + 1;
  while (taken.has(`step_${number}`)) number += 1;
  return [...steps, { name: `step_${number}`, stream: steps.at(-1)?.stream ?? stream }];
}

/** One of them changed; what is empty is left out. */
export function withPart(
  parts: readonly SequencePart[],
  at: number,
  change: Partial<SequencePart>,
): SequencePart[] {
  return parts.map((part, place) => {
    if (place !== at) return part;
    const changed: SequencePart = { ...part, ...change };
    const empty = (["where", "within", "between"] as const).filter((key) => !changed[key]?.length);
    return empty.reduce((left, key) => omitKey(left, key) as SequencePart, changed);
  });
}

/** The field that an edit changes in one of the parts, such as `1.where`; null where it does more than that. */
export function editedField(before: readonly SequencePart[], after: readonly SequencePart[]): string | null {
  const changed = after.flatMap((part, at) => {
    const old: object = before[at] ?? {};
    const keys = [...new Set([...Object.keys(old), ...Object.keys(part)])] as (keyof SequencePart)[];
    return keys.filter((key) => before[at]?.[key] !== part[key]).map((key) => `${at}.${key}`);
  });
  const [field, another] = changed;
  return before.length !== after.length || another !== undefined ? null : (field ?? null);
}

/** Without one of them; the way to the first step has no limit. */
export function withoutPart(parts: readonly SequencePart[], at: number): SequencePart[] {
  return firstWithoutLimit(parts.filter((_, place) => place !== at));
}

/** One of them earlier by a place. */
export function withPartEarlier(parts: readonly SequencePart[], at: number): SequencePart[] {
  const moved = [...parts];
  const [part] = moved.splice(at, 1);
  if (part) moved.splice(Math.max(at - 1, 0), 0, part);
  return firstWithoutLimit(moved);
}

function firstWithoutLimit(parts: readonly SequencePart[]): SequencePart[] {
  return parts.map((part, place) => (place === 0 ? (omitKey(part, "within") as SequencePart) : part));
}

/** The parameters of a sequence with other steps; where one has another name, `not` speaks of it by that. */
export function withSteps(
  params: Readonly<Record<string, ParameterValue>>,
  steps: SequencePart[],
): Record<string, ParameterValue> {
  const [before, after] = [partsOf(params.steps), steps];
  const at = before.findIndex(({ name }, place) => name !== after[place]?.name);
  const [old, name] = [before[at]?.name, after[at]?.name];
  const renamed = before.length === after.length && !stepNames(after).includes(old ?? "");
  if (!renamed || old === undefined || name === undefined || params.not === undefined)
    return { ...params, steps };
  const now = (one: string): string => (one === old ? name : one);
  const not = partsOf(params.not).map((part) =>
    part.between ? { ...part, between: part.between.map(now) } : part,
  );
  return { ...params, steps, not };
}
