/** The words of the text language, as far as the editor needs them; docs/text.md has all of it. */

export const DIRECTIVES: Readonly<Record<string, string>> = {
  plan: "the plan's name",
  stream: "declares a stream, or says that it is declared elsewhere",
  results: "which nodes are results",
  group: "a frame around nodes",
  note: "a text on the canvas",
  layout: "where nodes lie on the canvas",
  order: "the order of the nodes in the document",
};

export const WORDS: Readonly<Record<string, string>> = {
  and: "true while all are true",
  or: "true while any is true",
  not: "true while it is false",
  true: "",
  false: "",
};

/** In conditions on events only. */
export const CONDITION_WORDS: Readonly<Record<string, string>> = {
  in: "one of several values",
  "is missing": "the event lacks the field",
  "is not missing": "the event has the field",
};

export const SIGNS: Readonly<Record<string, string>> = {
  equal_to: "==",
  not_equal_to: "!=",
  less_than: "<",
  less_or_equal: "<=",
  greater_than: ">",
  greater_or_equal: ">=",
  add: "+",
  subtract: "-",
  multiply: "*",
  divide: "/",
};

const RESERVED = new Set(["and", "or", "not", "in", "is", "missing", "true", "false", "null"]);

const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const FIELD = /^[\p{L}_][\p{L}\p{N}_]*(\[\d+\])*([.-][\p{L}\p{N}_]+(\[\d+\])*)*$/u;

/** A name as it is written, in backquotes where it must be. */
export function spellName(name: string): string {
  return NAME.test(name) && !RESERVED.has(name) ? name : `\`${name}\``;
}

export function spellField(name: string): string {
  return FIELD.test(name) && !RESERVED.has(name) ? name : `\`${name}\``;
}
