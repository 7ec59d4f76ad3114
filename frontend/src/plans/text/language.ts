/** The text language for the editor: what each word is, so that it can be coloured; comments, brackets, folding. */
import { LanguageSupport, StreamLanguage, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { DIRECTIVES } from "../../core/language/words";

interface State {
  /** How many brackets are open. */
  depth: number;
}

const NAME = /^[\p{L}_][\p{L}\p{N}_]*/u;
const FIELD = /^(?:`[^`]*`|[\p{L}_][\p{L}\p{N}_]*(\[\d+\])*([.-][\p{L}\p{N}_]+(\[\d+\])*)*)/u;
const LITERALS: readonly [RegExp, string][] = [
  [/^#.*/, "comment"],
  [/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/, "string"],
  [/^\d+(?:\.\d+)?(?:us|ms|s|min|h|d|w|month)\b/, "duration"],
  [/^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/, "number"],
  [/^@[\p{L}_][\p{L}\p{N}_]*/u, "directive"],
];
const KEYWORDS = /^(?:and|or|not|in|is|missing)$/;
const ATOMS = /^(?:true|false|null)$/;

function word(stream: StringStream, state: State, first: boolean): string {
  const found = stream.current();
  if (KEYWORDS.test(found)) return "keyword";
  if (ATOMS.test(found)) return "atom";
  if (state.depth === 0 && first && stream.match(/^\s*=(?!=)/, false)) return "definition";
  if (state.depth === 0 && first && found in DIRECTIVES) return "directive";
  if (stream.match(/^\s*=(?!=)/, false)) return "argument";
  if (stream.match(/^\s*\(/, false)) return "operator";
  return stream.match(/^\.(?=[\p{L}_`])/u, false) ? "stream" : "name";
}

function sign(stream: StringStream, state: State): string | null {
  const found = stream.next() ?? "";
  if ("([{".includes(found)) state.depth += 1;
  if (")]}".includes(found)) state.depth = Math.max(0, state.depth - 1);
  return "=!<>+-*/".includes(found) ? "sign" : "([{)]}".includes(found) ? "bracket" : null;
}

function token(stream: StringStream, state: State): string | null {
  const first = stream.sol();
  if (first && /^(?:`[^`]*`|[\p{L}_][\p{L}\p{N}_]*)\s*=(?!=)/u.test(stream.string)) state.depth = 0;
  if (stream.eatSpace()) return null;
  for (const [form, name] of LITERALS) if (stream.match(form)) return name;
  if (stream.string.charAt(stream.pos - 1) === "." && stream.match(FIELD)) return "field";
  if (stream.match(NAME) || stream.match(/^`[^`]*`/)) return word(stream, state, first);
  return sign(stream, state);
}

const language = StreamLanguage.define<State>({
  name: "timeline",
  startState: () => ({ depth: 0 }),
  copyState: (state) => ({ ...state }),
  token,
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"', "`"] } },
  tokenTable: {
    comment: tags.comment,
    string: tags.string,
    number: tags.number,
    duration: tags.number,
    directive: tags.definitionKeyword,
    keyword: tags.keyword,
    atom: tags.atom,
    definition: tags.definition(tags.variableName),
    argument: tags.attributeName,
    operator: tags.function(tags.variableName),
    stream: tags.typeName,
    field: tags.propertyName,
    name: tags.variableName,
    sign: tags.operator,
    bracket: tags.bracket,
  },
});

export const timelineLanguage = (): LanguageSupport => new LanguageSupport(language);
