/** The look of the editors: the colours are the page's own, and follow light and dark with it. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--kind-text)" },
  { tag: [tags.number, tags.atom, tags.bool, tags.null], color: "var(--kind-number)" },
  { tag: [tags.keyword, tags.definitionKeyword], color: "var(--accent)", fontWeight: "600" },
  { tag: tags.definition(tags.variableName), fontWeight: "700" },
  { tag: tags.function(tags.variableName), color: "var(--kind-bool)" },
  { tag: [tags.propertyName, tags.attributeName], color: "var(--mark)" },
  { tag: tags.typeName, color: "var(--good)" },
]);

const BORDER = "1px solid var(--rule)";

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontVariantLigatures: "none", lineHeight: "20px" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", borderRight: BORDER, color: "var(--faint)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--sunk)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-wash)",
  },
  ".cm-shown": { backgroundColor: "var(--accent-wash)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-wash)",
    outline: "1px solid var(--accent)",
  },
  ".cm-foldPlaceholder": { border: BORDER, backgroundColor: "var(--sunk)", color: "var(--faint)" },
  ".cm-tooltip": {
    border: "1px solid var(--strong-rule)",
    borderRadius: "4px",
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    fontVariantLigatures: "none",
    maxHeight: "16em",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-wash)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--faint)", fontStyle: "normal" },
  ".cm-completionMatchedText": { color: "var(--accent)", textDecoration: "none", fontWeight: "700" },
  ".cm-diagnostic": { fontFamily: "inherit", whiteSpace: "pre-line" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--red)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--amber)" },
  ".cm-lintRange-error": { backgroundImage: "none", borderBottom: "2px solid var(--red)" },
  ".cm-lintRange-warning": { backgroundImage: "none", borderBottom: "2px solid var(--amber)" },
  ".cm-panels": { backgroundColor: "var(--sunk)", color: "var(--ink)", borderColor: "var(--rule)" },
  ".cm-panel.cm-search": { padding: "8px" },
  ".cm-panel input, .cm-panel button": { fontSize: "var(--small)", backgroundImage: "none" },
  ".cm-searchMatch": { backgroundColor: "var(--mark-wash)" },
});

/** The editors write their rules into a style element, which the policy of the page takes by this word only. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";

export const EDITOR_THEME = () => [THEME, syntaxHighlighting(HIGHLIGHT), EditorView.cspNonce.of(nonce())];
