/** CodeMirror on one session: what is typed goes to the document, what happens to the document comes here. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  indentWithTab,
  redo,
  redoDepth,
  undo,
  undoDepth,
} from "@codemirror/commands";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
} from "@codemirror/language";
import { lintGutter, lintKeymap, nextDiagnostic, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, Prec, Transaction, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { redo as redoPlan, replaceDocument, select, undo as undoPlan } from "../editor/edits";
import { documentOf, get, problemsOf, useStudio } from "../editor/store";
import { setTyping } from "../editor/typing";
import type { Memory } from "./memory";
import { Session, type Form, type Located, type Place, type SyncState } from "./session";
import { shownLines, showLines } from "./highlightLines";
import { keepDraft, useViews, type TextView } from "./store";
import { EDITOR_THEME } from "./theme";

export interface Kind {
  view: TextView;
  label: string;
  form: Form;
  memory: Memory;
  extensions: Extension;
  /** The check's problems with their places, where the form itself does not tell them. */
  locate: ((text: string) => Located[]) | null;
}

const FromOutside = Annotation.define<boolean>();

/** Not longer than the line that it is in, and at least one sign. */
function stretch(state: EditorState, [line, column]: Place): { from: number; to: number } {
  const found = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  const from = Math.min(found.from + Math.max(column - 1, 0), found.to);
  const word = /^(?:"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_.]+|.)/u.exec(found.text.slice(from - found.from));
  return { from, to: Math.min(from + (word?.[0].length ?? 0), found.to) };
}

function diagnosticOf(state: EditorState, problem: Located): Diagnostic {
  const place = stretch(state, [problem.line ?? 1, problem.column ?? 1]);
  const message = [problem.message, problem.hint].filter(Boolean).join("\n");
  return { ...place, severity: problem.severity === "warning" ? "warning" : "error", message };
}

export class CodeEditor {
  readonly view: EditorView;
  private readonly session: Session;
  private readonly typed = new Compartment();
  private readonly stop: () => void;
  private places: SyncState["places"] = {};
  private closed = false;

  constructor(
    private readonly kind: Kind,
    parent: HTMLElement,
  ) {
    this.view = new EditorView({ parent, state: EditorState.create({ extensions: this.extensions() }) });
    const sheet = {
      text: () => this.view.state.doc.toString(),
      apply: (changes: Parameters<ConstructorParameters<typeof Session>[1]["apply"]>[0]) =>
        this.view.dispatch({
          changes,
          annotations: [FromOutside.of(true), Transaction.addToHistory.of(false)],
        }),
      settled: () => this.forgetTyped(),
    };
    const desk = {
      document: () => documentOf(get()),
      take: (document: ReturnType<typeof documentOf>) => replaceDocument(document, kind.view),
      tell: (standing: SyncState) => this.told(standing),
    };
    this.session = new Session(kind.form, sheet, desk, kind.memory);
    void this.session.open(useViews.getState().drafts[kind.view]).then(() => this.showSelected());
    this.stop = this.listen();
    setTyping({
      undo: () => this.undo(),
      redo: () => this.redo(),
      goTo: (place) => this.goTo(place),
      settle: () => (this.session.isDirty ? this.session.settle() : Promise.resolve()),
    });
  }

  /** What is typed and cannot be read waits until this view is shown again. */
  close(): void {
    this.closed = true;
    this.stop();
    setTyping(null);
    void this.session.settle().then(() => keepDraft(this.kind.view, this.session.draft()));
    keepDraft(this.kind.view, this.session.draft());
    this.session.close();
    this.view.destroy();
  }

  discard(): Promise<void> {
    return this.session.discard();
  }

  goTo(place: Place): void {
    const { from } = stretch(this.view.state, place);
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    this.view.focus();
  }

  private extensions(): Extension {
    const own = keymap.of([
      { any: (_view, event) => this.undoOrRedo(event) },
      { key: "F8", run: nextDiagnostic },
    ]);
    return [
      Prec.high(own),
      lineNumbers(),
      foldGutter(),
      lintGutter(),
      codeFolding(),
      highlightSpecialChars(),
      drawSelection(),
      indentOnInput(),
      indentUnit.of("  "),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      search({ top: true }),
      shownLines,
      this.typed.of(history()),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": this.kind.label, spellcheck: "false", tabindex: "0" }),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...searchKeymap,
        ...foldKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      EditorView.updateListener.of((update) => {
        const outside = update.transactions.some((transaction) => transaction.annotation(FromOutside));
        if (update.docChanged && !outside) this.session.typed();
        if (update.selectionSet && !outside && this.view.hasFocus) this.selectHere();
      }),
      EDITOR_THEME(),
      this.kind.extensions,
    ];
  }

  private listen(): () => void {
    const studio = useStudio.subscribe((state, before) => {
      if (documentOf(state) !== documentOf(before)) this.session.follow();
      if (state.focus !== before.focus && state.focus) this.show(state.focus.node);
      else if (state.selected !== before.selected && !this.view.hasFocus) this.showSelected();
      if (this.kind.locate && problemsOf(state) !== problemsOf(before)) this.mark(this.kind.locate);
    });
    return studio;
  }

  private undoOrRedo(event: KeyboardEvent): boolean {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return false;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redoPlan();
    else undoPlan();
    return true;
  }

  /** Typing that is not in the document yet is taken back here; all else is undone in the document. */
  private undo(): boolean {
    return this.session.isDirty && undoDepth(this.view.state) > 0 && undo(this.view);
  }

  private redo(): boolean {
    return redoDepth(this.view.state) > 0 && redo(this.view);
  }

  private forgetTyped(): void {
    this.view.dispatch({ effects: this.typed.reconfigure([]) });
    this.view.dispatch({ effects: this.typed.reconfigure(history()) });
  }

  private told(standing: SyncState): void {
    const { state, places, problems } = standing;
    const { view } = this.kind;
    if (state === "unread") useStudio.setState({ unread: { view, problems: [...problems] } });
    else if (get().unread?.view === view) useStudio.setState({ unread: null });
    if (this.closed) return;
    useViews.setState({ standing });
    if (state === "reading" || state === "away") return;
    this.places = places;
    if (state === "even" && this.kind.locate) this.mark(this.kind.locate);
    else this.diagnose(problems);
  }

  private mark(locate: (text: string) => Located[]): void {
    if (this.session.isDirty) return;
    const problems = locate(this.view.state.doc.toString());
    useViews.setState(({ standing }) => ({ standing: standing && { ...standing, problems } }));
    this.diagnose(problems);
  }

  private diagnose(problems: readonly Located[]): void {
    const { state } = this.view;
    const diagnostics = problems
      .map((problem) => diagnosticOf(state, problem))
      .sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(state, diagnostics));
  }

  /** The node whose text is around the cursor is selected on the canvas and in the inspector. */
  private selectHere(): void {
    const { head } = this.view.state.selection.main;
    const line = this.view.state.doc.lineAt(head);
    const at = (place: Place): number => place[0] * 1e6 + place[1];
    const here = at([line.number, head - line.from + 1]);
    const before = Object.entries(this.places).filter(([, place]) => at(place) <= here);
    const nearest = before.reduce<[string, Place] | null>(
      (best, one) => (best === null || at(one[1]) >= at(best[1]) ? one : best),
      null,
    );
    if (nearest && nearest[0] in documentOf(get()).nodes) select([nearest[0]]);
  }

  private showSelected(): void {
    const found = get().selected.flatMap((name) => this.places[name] ?? []);
    const lines = get().selected.flatMap((name) => this.places[name]?.[0] ?? []);
    const first = found[0] === undefined ? undefined : this.places[get().selected[0] ?? ""];
    const effects = [showLines.of(lines)];
    if (first === undefined || this.view.hasFocus) return this.view.dispatch({ effects });
    const { from } = stretch(this.view.state, first);
    this.view.dispatch({
      effects: [...effects, EditorView.scrollIntoView(from, { y: "nearest", yMargin: 40 })],
    });
  }

  private show(node: string): void {
    const place = this.places[node];
    if (place) this.goTo(place);
  }
}
