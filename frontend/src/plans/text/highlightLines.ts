/** The lines of the nodes that are selected elsewhere, marked. */
import { RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

export const showLines = StateEffect.define<readonly number[]>();

const MARK = Decoration.line({ class: "cm-shown" });

function marks(doc: Text, lines: readonly number[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const there = [...new Set(lines)].filter((line) => line >= 1 && line <= doc.lines).sort((a, b) => a - b);
  for (const line of there) builder.add(doc.line(line).from, doc.line(line).from, MARK);
  return builder.finish();
}

export const shownLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (decorationSet, transaction) => {
    const effect = transaction.effects.find((one) => one.is(showLines));
    return effect ? marks(transaction.newDoc, effect.value) : decorationSet.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
