/** Help in the text editor: completion, what an operator is under the mouse, and its signature while it is typed. */
import {
  autocompletion,
  snippet,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { StateField, type EditorState, type Extension } from "@codemirror/state";
import { hoverTooltip, showTooltip, type Tooltip } from "@codemirror/view";
import type { Operator } from "../../core/api/types";
import { describeRequirement } from "../../core/graph/required";
import { callAt, extractCodeBefore } from "../../core/language/call";
import { asksEvents, suggest, type Suggestion, type SuggestionKind, type Vocabulary } from "./completion";
import { FUNCTIONS, isFunction, type EventFunction } from "../../core/language/functions";
import { argumentsOf, shortForm, signatureOf } from "./help";

const TYPES: Record<SuggestionKind, string> = {
  operator: "function",
  function: "function",
  stream: "class",
  field: "property",
  node: "variable",
  word: "keyword",
  parameter: "text",
  choice: "enum",
  directive: "keyword",
};

function part(name: string, className: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** What an operator is: its signature, what it means, what it takes. */
function card(operator: Operator): HTMLElement {
  const made = part("div", "code-help", "");
  made.dataset.testid = "code-help";
  made.append(part("code", "", `${signatureOf(operator)} → ${operator.output}`));
  const short = shortForm(operator);
  if (short !== "") made.append(part("p", "faint", `also written ${short}`));
  made.append(part("p", "", operator.summary));
  const list = part("dl", "", "");
  for (const { name, optional, help } of argumentsOf(operator)) {
    const needed = describeRequirement(operator, { name, required: !optional });
    list.append(part("dt", "", needed === "" ? name : `${name} (${needed})`), part("dd", "", help));
  }
  made.append(list);
  return made;
}

/** What a function of values of events is. */
function functionCard({ signature, help }: EventFunction): HTMLElement {
  const made = part("div", "code-help", "");
  made.dataset.testid = "code-help";
  made.append(part("code", "", signature), part("p", "", help));
  return made;
}

/** The function of a name, where values of events are asked of; elsewhere the name may be an operator's. */
function functionAt(code: string, name: string, vocabulary: Vocabulary): EventFunction | undefined {
  const asked = isFunction(name) && asksEvents(code, vocabulary);
  return asked ? FUNCTIONS[name] : undefined;
}

function infoOf({ kind, label, operator }: Suggestion): HTMLElement | null {
  if (operator !== undefined) return card(operator);
  const eventFunction = kind === "function" ? FUNCTIONS[label] : undefined;
  return eventFunction === undefined ? null : functionCard(eventFunction);
}

function completion(suggestion: Suggestion): Completion {
  const { label, kind, detail, template, boost } = suggestion;
  return {
    label,
    detail,
    type: TYPES[kind],
    boost: boost ?? 0,
    ...(template === undefined ? {} : { apply: snippet(template) }),
    info: () => infoOf(suggestion),
  };
}

function source(vocabulary: () => Vocabulary) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const suggestions = suggest(before, context.state.sliceDoc(), vocabulary(), context.explicit);
    return (
      suggestions && {
        from: suggestions.from,
        options: suggestions.options.map(completion),
        validFor: /^[\p{L}\p{N}_.`-]*$/u,
      }
    );
  };
}

function hover(vocabulary: () => Vocabulary): Extension {
  return hoverTooltip((view, pos) => {
    const word = view.state.wordAt(pos);
    const name = word && view.state.sliceDoc(word.from, word.to);
    const code = word && extractCodeBefore(view.state.sliceDoc(0, word.from));
    if (!word || !name || code === null) return null;
    const eventFunction = functionAt(code, name, vocabulary());
    const operator = vocabulary().operators.find((one) => one.name === name);
    const dom = eventFunction ? functionCard(eventFunction) : operator && card(operator);
    return dom ? { pos: word.from, end: word.to, above: true, create: () => ({ dom }) } : null;
  });
}

function signature(operator: Operator, index: number, keyword: string | null): HTMLElement {
  const made = part("div", "code-signature", "");
  made.dataset.testid = "code-signature";
  made.append(`${operator.name}(`);
  const list = argumentsOf(operator);
  const last = list.findIndex((argument) => argument.shown.endsWith("…"));
  const at =
    keyword === null
      ? last >= 0
        ? Math.min(index, last)
        : index
      : list.findIndex((argument) => argument.name === keyword);
  list.forEach((argument, i) => {
    if (i > 0) made.append(", ");
    const shown = argument.optional ? `[${argument.shown}]` : argument.shown;
    made.append(i === at ? part("b", "", shown) : shown);
  });
  made.append(`) → ${operator.output}`);
  return made;
}

function functionSignature(eventFunction: EventFunction): HTMLElement {
  const made = part("div", "code-signature", eventFunction.signature);
  made.dataset.testid = "code-signature";
  return made;
}

function signatureAt(state: EditorState, vocabulary: Vocabulary): Tooltip | null {
  const { main } = state.selection;
  const code = extractCodeBefore(state.sliceDoc(0, main.from));
  const call = code === null ? null : callAt(code);
  if (code === null || !call) return null;
  const eventFunction = functionAt(code, call.operator, vocabulary);
  const operator = vocabulary.operators.find((one) => one.name === call.operator);
  const dom = eventFunction
    ? functionSignature(eventFunction)
    : operator && signature(operator, call.index, call.keyword);
  if (!dom) return null;
  return {
    pos: main.from,
    above: true,
    arrow: false,
    create: () => ({ dom }),
  };
}

/** The signature of the call that one writes in, with the argument that one is at. */
function signatures(vocabulary: () => Vocabulary): Extension {
  return StateField.define<Tooltip | null>({
    create: () => null,
    update: (tooltip, transaction) => {
      if (transaction.docChanged || transaction.selection)
        return transaction.isUserEvent("input") || transaction.isUserEvent("delete") || tooltip
          ? signatureAt(transaction.state, vocabulary())
          : null;
      return tooltip;
    },
    provide: (field) => showTooltip.from(field),
  });
}

export function assist(vocabulary: () => Vocabulary): Extension {
  return [
    autocompletion({ override: [source(vocabulary)], icons: true, maxRenderedOptions: 100 }),
    hover(vocabulary),
    signatures(vocabulary),
  ];
}
