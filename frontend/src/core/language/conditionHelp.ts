/** What may follow in a condition on one stream's events, and the function whose arguments one writes. */
import { formatShare, type ValuesOf } from "./commonValues";
import { callAt, extractCodeBefore } from "./call";
import { FUNCTIONS, isFunction, type EventFunction } from "./functions";
import { CONDITION_WORDS, spellField, WORDS } from "./words";

export interface ConditionSuggestion {
  label: string;
  kind: "field" | "function" | "word" | "value";
  detail: string;
  /** What is put in, `#{…}` where something is to be filled in; the label where it is left out. */
  template?: string;
}

interface Suggestions {
  from: number;
  options: ConditionSuggestion[];
}

/** Fields with their types, "" where they are only seen. */
export type Fields = Readonly<Record<string, string>>;

const TYPED = /`[^`]*$|[\p{L}_][\p{L}\p{N}_.[\]-]*$/u;
const MOST = 12;

/** No word is longer; looking for where one begins stays quick, whatever was pasted. */
const LONGEST = 250;

const functions = Object.entries(FUNCTIONS).map(([label, { signature, template }]): ConditionSuggestion => ({
  label,
  kind: "function",
  detail: signature.slice(label.length),
  template,
}));
const words = Object.entries({ ...CONDITION_WORDS, ...WORDS }).map(
  ([label, detail]): ConditionSuggestion => ({
    label,
    kind: "word",
    detail,
  }),
);

function fieldsOf(fields: Fields): ConditionSuggestion[] {
  return Object.entries(fields).map(([name, type]) => ({
    label: spellField(name),
    kind: "field",
    detail: type || "seen, not declared",
  }));
}

/** What begins as it is typed stands first, fields before functions before words. */
function ranked(all: readonly ConditionSuggestion[], typed: string): ConditionSuggestion[] {
  const sought = typed.replace("`", "").toLowerCase();
  const plain = ({ label }: ConditionSuggestion) => label.replaceAll("`", "").toLowerCase();
  const begins = all.filter((conditionSuggestion) => plain(conditionSuggestion).startsWith(sought));
  const inside = all.filter(
    (conditionSuggestion) =>
      !plain(conditionSuggestion).startsWith(sought) && plain(conditionSuggestion).includes(sought),
  );
  return [...begins, ...inside].slice(0, MOST);
}

const COMPARED = /(`[^`]+`|[\p{L}_][\p{L}\p{N}_.]*)\s*[=!]=\s*("[^"]*"?|[^\s"=]*)$/u;

/** Values with which the field before `==` may be compared; null where none is compared, or known. */
function suggestValues(before: string, valuesOf: ValuesOf): Suggestions | null {
  const [, field = "", typed = ""] = COMPARED.exec(before.slice(-LONGEST)) ?? [];
  const sought = typed.replaceAll('"', "").toLowerCase();
  const options = valuesOf(field.replaceAll("`", ""))
    .filter(({ value }) => String(value).toLowerCase().startsWith(sought))
    .map(({ value, share }): ConditionSuggestion => ({
      label: JSON.stringify(value),
      kind: "value",
      detail: formatShare(share),
    }));
  const isWhole = options.some(({ label }) => label === typed);
  return options.length === 0 || isWhole ? null : { from: before.length - typed.length, options };
}

/** What may follow; `asked` says that a person asked for it, not only typed. */
export function suggestInCondition(
  before: string,
  fields: Fields,
  asked: boolean,
  valuesOf: ValuesOf = () => [],
): Suggestions | null {
  const compared = suggestValues(before, valuesOf);
  if (compared !== null) return compared;
  const typed = TYPED.exec(before.slice(-LONGEST))?.[0] ?? "";
  const from = before.length - typed.length;
  if (extractCodeBefore(before.slice(0, from)) === null || typed.length === LONGEST) return null;
  if (typed === "" && (!asked || /[\p{L}\p{N}_)\]"'`]$/u.test(before))) return null;
  const options = ranked([...fieldsOf(fields), ...functions, ...words], typed);
  const isWhole = options.length === 1 && options[0]?.label === typed;
  return options.length === 0 || isWhole ? null : { from, options };
}

/** The function in whose brackets the text ends. */
export function findFunctionAround(before: string): EventFunction | null {
  const code = extractCodeBefore(before);
  const call = code === null ? null : callAt(code);
  return call && isFunction(call.operator) ? (FUNCTIONS[call.operator] ?? null) : null;
}

export interface Filled {
  text: string;
  /** The first thing that is to be filled in, or the end. */
  select: readonly [number, number];
}

const HOLE = /#\{([^}]*)\}/g;

/** The text with a suggestion put in for what stands from there to the cursor. */
export function fillIn(
  text: string,
  from: number,
  to: number,
  { label, template }: ConditionSuggestion,
): Filled {
  const put = template ?? label;
  const plain = put.replace(HOLE, "$1");
  const hole = /#\{([^}]*)\}/.exec(put);
  const start = from + (hole?.index ?? plain.length);
  const filled = `${text.slice(0, from)}${plain}${text.slice(to)}`;
  return { text: filled, select: [start, start + (hole?.[1]?.length ?? 0)] };
}
