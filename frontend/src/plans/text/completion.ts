/** What may stand at a place of a text. Knows the language, not the editor. */
import type { Operator } from "../../core/api/types";
import { callAt, extractCodeBefore, listNodeNames, type Call } from "../../core/language/call";
import { FUNCTIONS, isFunction } from "../../core/language/functions";
import { argumentsOf, shortForm, signatureOf, buildTemplate } from "./help";
import { CONDITION_WORDS, DIRECTIVES, spellField, spellName, WORDS } from "../../core/language/words";

export interface Vocabulary {
  operators: readonly Operator[];
  /** The fields of each stream with their types, those that are only seen with "". */
  streams: Readonly<Record<string, Readonly<Record<string, string>>>>;
  nodes: readonly string[];
}

export type SuggestionKind =
  "operator" | "function" | "stream" | "field" | "node" | "word" | "parameter" | "choice" | "directive";

export interface Suggestion {
  label: string;
  kind: SuggestionKind;
  detail: string;
  /** What is put in, `#{…}` where something is to be filled in; the label where it is left out. */
  template?: string;
  operator?: Operator;
  boost?: number;
}

export interface Suggestions {
  from: number;
  options: Suggestion[];
}

const WORD = /`?[\p{L}_][\p{L}\p{N}_]*$|`$/u;
const AFTER_DOT = /(?:`([^`]*)`|([\p{L}_][\p{L}\p{N}_]*))\.(`?[\p{L}\p{N}_.-]*)$/u;
const AT_START = /(?:^|\n)`?[\p{L}\p{N}_]*$/u;
const NAMES_WANTED = /(?:^|\n)(?:results|order|layout)\s[^=()]*$/;

/** No word is longer; looking for where one begins stays quick, whatever was pasted. */
const LONGEST = 250;

function fieldsAfterDot(text: string, { streams }: Vocabulary): Suggestions | null {
  const match = AFTER_DOT.exec(text.slice(-LONGEST));
  const fields = match && streams[match[1] ?? match[2] ?? ""];
  if (!match || !fields) return null;
  const options = Object.entries(fields).map(([name, type]): Suggestion => ({
    label: spellField(name),
    kind: "field",
    detail: type || "seen, not declared",
    boost: type ? 1 : 0,
  }));
  return { from: text.length - (match[3] ?? "").length, options };
}

function nodes(names: readonly string[]): Suggestion[] {
  return [...new Set(names)].map((name) => ({
    label: spellName(name),
    kind: "node",
    detail: "node",
    boost: 3,
  }));
}

function words(some: Readonly<Record<string, string>>, kind: SuggestionKind, boost = 0): Suggestion[] {
  return Object.entries(some).map(([label, detail]) => ({ label, kind, detail, boost }));
}

function operatorsOf({ operators }: Vocabulary): Suggestion[] {
  return operators.map((operator) => ({
    label: operator.name,
    kind: "operator",
    detail: signatureOf(operator).slice(operator.name.length),
    template: buildTemplate(operator),
    operator,
    boost: shortForm(operator) === "" ? 1 : -1,
  }));
}

const functions = Object.entries(FUNCTIONS).map(([label, { signature, template }]): Suggestion => ({
  label,
  kind: "function",
  detail: signature.slice(label.length),
  template,
  boost: -1,
}));

function streamsOf({ streams }: Vocabulary, boost: number): Suggestion[] {
  return Object.keys(streams).map((name) => ({
    label: spellName(name),
    kind: "stream",
    detail: "stream",
    boost,
  }));
}

/** What belongs to the call around: the names of its arguments, and what a choice may be. */
function ofCall(call: Call | null, { operators }: Vocabulary): Suggestion[] {
  const operator = call && operators.find((one) => one.name === call.operator);
  if (!call || !operator) return [];
  const list = argumentsOf(operator);
  const here = call.keyword === null ? list[call.index]?.name : call.keyword;
  const choices = operator.parameters.find((parameter) => parameter.name === here)?.choices ?? [];
  const chosen = choices.map((label): Suggestion => ({
    label,
    kind: "choice",
    detail: here ?? "",
    boost: 5,
  }));
  if (call.keyword !== null) return chosen;
  const named = list
    .filter((argument) => argument.optional && argument.name !== "stream")
    .map(({ name, help }): Suggestion => ({
      label: `${name} =`,
      kind: "parameter",
      detail: help,
      template: `${name} = #{}`,
      boost: 4,
    }));
  return [...chosen, ...named];
}

/** Whether events are asked of here; of what reads a stream, some arguments are nodes. */
function readsStream(call: Call | null, { operators }: Vocabulary): boolean {
  const operator = operators.find((one) => one.name === call?.operator);
  if (!call || !operator?.takes_stream) return false;
  if (call.keyword !== null) return !operator.inputs.some((input) => input.name === call.keyword);
  return call.index >= operator.inputs.filter((input) => input.required).length;
}

/** Whether values of events are asked of at the end of the code, perhaps within a function of them. */
export function asksEvents(code: string, vocabulary: Vocabulary): boolean {
  return readsStream(callAt(code, isFunction), vocabulary);
}

/** What may follow the text; `asked` says that a person asked for it, not only typed. */
export function suggest(
  before: string,
  whole: string,
  vocabulary: Vocabulary,
  asked: boolean,
): Suggestions | null {
  const code = extractCodeBefore(before);
  if (code === null) return null;
  const fields = fieldsAfterDot(before, vocabulary);
  if (fields) return fields;
  const typed = WORD.exec(before.slice(-LONGEST))?.[0] ?? "";
  if (typed.length === LONGEST) return null;
  if (typed === "" && (!asked || /[\p{L}\p{N}_)\]"']$/u.test(before.slice(-2)))) return null;
  const from = before.length - typed.length;
  const suggestions = nodes([...listNodeNames(whole), ...vocabulary.nodes]);
  if (NAMES_WANTED.test(code)) return { from, options: suggestions };
  const call = callAt(code);
  if (call === null && AT_START.test(code)) return { from, options: words(DIRECTIVES, "directive") };
  const reads = asksEvents(code, vocabulary);
  const options = [
    ...ofCall(reads && call && isFunction(call.operator) ? null : call, vocabulary),
    ...streamsOf(vocabulary, reads ? 4 : -2),
    ...(reads
      ? [...functions, ...words(CONDITION_WORDS, "word", -3)]
      : [...suggestions, ...operatorsOf(vocabulary)]),
    ...words(WORDS, "word", -2),
  ];
  const unique = new Map(options.map((option) => [`${option.kind} ${option.label}`, option]));
  return { from, options: [...unique.values()] };
}
