/** The two texts of a plan: the text language, and JSON. */
import { foldService } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { documentOf, get, problemsOf } from "../editor/store";
import type { Vocabulary } from "./completion";
import { timelineLanguage } from "./language";
import { assist } from "./assist";
import type { Kind } from "./editor";
import { textForm } from "./forms";
import { jsonForm, jsonSupport, locateProblem } from "./json";
import { MEMORY } from "./memory";
import type { TextView } from "./store";

function fieldsOf(declared: unknown): Record<string, string> {
  const fields = (declared as { fields?: unknown } | null)?.fields;
  return typeof fields === "object" && fields !== null ? (fields as Record<string, string>) : {};
}

/** What the studio knows now, and the streams that the plan itself declares. */
function vocabulary(): Vocabulary {
  const { operators, streams } = get();
  const document = documentOf(get());
  const own = typeof document.streams === "object" && document.streams !== null ? document.streams : {};
  const known = [...streams.values()].map((stream): [string, Record<string, string>] => {
    const seen = Object.fromEntries(stream.seen_fields.map((field) => [field, ""]));
    return [stream.name, { ...seen, ...stream.fields }];
  });
  const declared = Object.entries(own).map(([name, one]): [string, Record<string, string>] => [
    name,
    fieldsOf(one),
  ]);
  return {
    operators: [...operators.values()],
    streams: Object.fromEntries([...known, ...declared]),
    nodes: Object.keys(document.nodes),
  };
}

const BEGINS = /^\S/;

/** A statement of several lines folds into its first. */
const statements = foldService.of((state, from) => {
  const first = state.doc.lineAt(from);
  if (!BEGINS.test(first.text) || first.text.startsWith("#")) return null;
  let last = first;
  while (last.number < state.doc.lines) {
    const next = state.doc.line(last.number + 1);
    if (next.text.trim() === "" || BEGINS.test(next.text)) break;
    last = next;
  }
  return last === first ? null : { from: first.to, to: last.to };
});

export const KINDS: Record<TextView, () => Kind> = {
  text: () => ({
    view: "text",
    label: "Plan as text",
    form: textForm,
    memory: MEMORY.text,
    extensions: [timelineLanguage(), statements, assist(vocabulary)],
    locate: null,
  }),
  json: () => ({
    view: "json",
    label: "Plan as JSON",
    form: jsonForm,
    memory: MEMORY.json,
    extensions: [jsonSupport(), EditorView.contentAttributes.of({ "data-language": "json" })],
    locate: (text) => problemsOf(get()).map((problem) => locateProblem(text, problem)),
  }),
};
