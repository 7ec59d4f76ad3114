/** What is proposed while somebody types: fields, and values of the field that is being typed. */
import { FIELDS, STATES, termAt, formatTermValue, type Kind, type Term } from "./language";

export interface Proposal {
  id: string;
  /** As it will stand in the search. */
  text: string;
  words: string;
  /** What it takes the place of. */
  start: number;
  end: number;
  /** A value is still to be typed. */
  open: boolean;
}

export interface Value {
  value: string;
  words: string;
}

/** What the server has to be asked for: values of a field that begin so. */
export interface ValuesRequest {
  field: string;
  part: string;
}

const MOST = 8;
const START = ["owner:me", "is:failing", "is:running", "op:", "uses:", "stream:"];

function proposal(term: Term, body: string, words: string): Proposal {
  const text = `${term.no ? "-" : ""}${body}`;
  const { start, end } = term;
  return { id: `say ${text}`, text, words, start, end, open: body.endsWith(":") };
}

function starters(term: Term, kinds: readonly Kind[]): Proposal[] {
  return START.flatMap((text) => {
    const [name = "", value = ""] = text.split(":");
    const field = FIELDS.find((one) => one.name === name);
    const state = STATES.find((one) => one.value === value);
    const about = name === "is" ? state : field;
    if (!about?.kinds.some((kind) => kinds.includes(kind))) return [];
    return [proposal(term, text, text === "owner:me" ? "yours, and your teams’" : about.words)];
  });
}

function fieldsOf(term: Term, kinds: readonly Kind[]): Proposal[] {
  const typed = term.value.toLowerCase();
  const fields = FIELDS.filter((field) => field.kinds.some((kind) => kinds.includes(kind)))
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, words }) => proposal(term, `${name}:`, words));
  const states = STATES.filter((state) => state.kinds.some((kind) => kinds.includes(kind)))
    .filter(({ value }) => typed.length > 1 && value.startsWith(typed))
    .map(({ value, words }) => proposal(term, `is:${value}`, words));
  return [...fields, ...states];
}

/** Of which field values are wanted from the server; null: of none. */
export function findWantedValues(text: string, caret: number): ValuesRequest | null {
  const { field, value } = termAt(text, caret);
  return ["owner", "team", "op", "uses", "stream"].includes(field) ? { field, part: value } : null;
}

function valuesOf(term: Term, kinds: readonly Kind[], told: readonly Value[]): Proposal[] {
  const typed = term.value.toLowerCase();
  const known: readonly Value[] =
    term.field === "is"
      ? STATES.filter((state) => state.kinds.some((kind) => kinds.includes(kind)))
      : term.field === "owner"
        ? [{ value: "me", words: "you, and your teams" }, ...told]
        : told;
  // People know an operator by its title, which its words are.
  const fit = known.filter(({ value, words }) =>
    (term.field === "op" ? `${value} ${words}` : value).toLowerCase().includes(typed),
  );
  const first = fit.toSorted(
    (a, b) =>
      Number(b.value.toLowerCase().startsWith(typed)) - Number(a.value.toLowerCase().startsWith(typed)),
  );
  return first
    .filter(({ value }) => value.toLowerCase() !== typed)
    .slice(0, MOST)
    .map(({ value, words }) => proposal(term, `${term.field}:${formatTermValue(value)}`, words));
}

/** For the word at the caret; `told` are the values that the server knows for it. */
export function proposalsAt(
  text: string,
  caret: number,
  kinds: readonly Kind[],
  told: readonly Value[],
): Proposal[] {
  const term = termAt(text, caret);
  if (term.field !== "") return valuesOf(term, kinds, told);
  if (text.trim() === "") return starters(term, kinds);
  return term.value === "" ? [] : fieldsOf(term, kinds);
}

/** The text with a proposal taken, and where the caret is then. */
export function acceptProposal(text: string, one: Proposal): { text: string; caret: number } {
  const after = text.slice(one.end);
  const gap = one.open || after.startsWith(" ") ? "" : " ";
  const before = `${text.slice(0, one.start)}${one.text}${gap}`;
  return { text: before + after, caret: before.length + (one.open || gap !== "" ? 0 : 1) };
}

/** Whether the word at the caret is not yet worth asking for: a field without its value, or an open quote. */
export function isUnfinished(text: string, caret: number): boolean {
  const term = termAt(text, caret);
  const typed = text.slice(term.start, term.end);
  return (term.field !== "" && term.value === "") || typed.split('"').length % 2 === 0 || typed === "-";
}
