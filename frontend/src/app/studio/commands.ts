/** Every command of the page, once: its keys are bound, shown on the sheet, and it is found in the command palette. */
import type { DocumentNode } from "../../core/api/types";
import { listWires } from "../../core/graph/document";
import { toggleHelp } from "../../plans/help/store";
import { go } from "../../core/tour/store";
import { ARRANGE, LOOK, SELECT } from "./canvasCommands";
import * as clipboard from "../../plans/editor/clipboard";
import { any, named, node, one, registerCommands, type Command } from "../../plans/editor/command";
import * as drawn from "../../plans/editor/selectionActions";
import * as edits from "../../plans/editor/edits";
import { GROUPS } from "./groupCommands";
import { setOverlay, getOverlay, wireId } from "../../plans/editor/overlay";
import {
  focusFirstField,
  offerOperators,
  offerReaders,
  renameSelected,
  searchOperators,
  spotForComment,
} from "../../plans/editor/panels";
import { GO, PLAN } from "./planCommands";
import { documentOf, get } from "../../plans/editor/store";
import { TEST, TIME } from "./timeCommands";
import { findInsertionPoint } from "../../plans/editor/view";

function remove(): void {
  const picked = new Set(getOverlay().picked);
  const gone = listWires(documentOf(get())).filter((wire) => picked.has(wireId(wire)));
  drawn.removeAll(get().selected, gone);
  setOverlay({ picked: [] });
}

function addComment(): void {
  drawn.addComment(spotForComment(findInsertionPoint().at));
  setOverlay({ editing: get().selected[0] ?? null });
}

function selectedNode(): DocumentNode | undefined {
  return documentOf(get()).nodes[drawn.selectedNodes()[0] ?? ""];
}

const ADD: readonly Command[] = [
  { title: "Add a node", section: "Add and wire", keys: ["A"], run: () => offerOperators(null) },
  {
    title: "Add a node after the selected one",
    section: "Add and wire",
    keys: ["Shift+A"],
    run: offerReaders,
    refuses: one,
  },
  { title: "Search the operators", section: "Add and wire", keys: ["P"], run: searchOperators },
  {
    title: "Connect the selected node to another",
    section: "Add and wire",
    keys: ["W"],
    run: () => setOverlay({ wiring: drawn.selectedNodes()[0] ?? null }),
    refuses: one,
  },
  {
    title: "Add a comment",
    section: "Add and wire",
    keys: ["C"],
    run: addComment,
  },
];

const EDIT: readonly Command[] = [
  {
    title: "Undo",
    section: "Edit",
    keys: ["Ctrl+Z"],
    run: edits.undo,
    refuses: () => (get().history.past.length > 0 ? null : "Nothing to undo."),
  },
  {
    title: "Redo",
    section: "Edit",
    keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
    run: edits.redo,
    refuses: () => (get().history.future.length > 0 ? null : "Nothing to redo."),
  },
  { title: "Edit the selected node", section: "Edit", keys: ["Enter"], run: focusFirstField, refuses: one },
  {
    title: "Rename the selected node or group",
    section: "Edit",
    keys: ["F2"],
    run: renameSelected,
    refuses: named,
  },
  {
    title: "Copy",
    section: "Edit",
    keys: ["Ctrl+C"],
    native: true,
    run: () => void clipboard.copySelected(false),
    refuses: any,
  },
  {
    title: "Cut",
    section: "Edit",
    keys: ["Ctrl+X"],
    native: true,
    run: () => void clipboard.copySelected(true),
    refuses: any,
  },
  {
    title: "Paste",
    section: "Edit",
    keys: ["Ctrl+V"],
    native: true,
    run: () => void clipboard.pasteFromMenu(false),
  },
  {
    title: "Paste, and keep wires from other nodes",
    section: "Edit",
    keys: ["Ctrl+Shift+V"],
    native: true,
    run: () => void clipboard.pasteFromMenu(true),
  },
  {
    title: "Make the selected node an output, or not",
    section: "Edit",
    keys: [],
    run: () => {
      const [name] = drawn.selectedNodes();
      if (name !== undefined) edits.setResult(name, !documentOf(get()).results?.includes(name));
    },
    refuses: one,
  },
  { title: "Duplicate", section: "Edit", keys: ["Ctrl+D"], run: clipboard.duplicate, refuses: any },
  { title: "Delete", section: "Edit", keys: ["Delete", "Backspace"], run: remove, refuses: any },
  {
    title: "Delete and reconnect",
    section: "Edit",
    keys: ["Ctrl+Delete", "Ctrl+Backspace"],
    run: () => edits.dissolveNodes(drawn.selectedNodes()),
    refuses: node,
  },
  ...GROUPS,
];

const HELP: readonly Command[] = [
  {
    title: "Find a command or a node",
    section: "Help",
    keys: ["Ctrl+K"],
    typing: true,
    run: () => setOverlay({ open: "commands" }),
    keysOnly: true,
  },
  {
    title: "Show all keyboard shortcuts",
    section: "Help",
    keys: ["?"],
    run: () => setOverlay({ open: "keys" }),
  },
  {
    title: "Help for the selected operator",
    section: "Help",
    keys: ["F1"],
    typing: true,
    run: () => {
      const operator = selectedNode()?.op;
      if (operator !== undefined) toggleHelp(operator);
    },
    refuses: one,
  },
  { title: "Take the tour", section: "Help", keys: [], run: go },
];

export const COMMANDS: readonly Command[] = [
  ...PLAN,
  ...ADD,
  ...EDIT,
  ...SELECT,
  ...ARRANGE,
  ...LOOK,
  ...TIME,
  ...TEST,
  ...GO,
  ...HELP,
];

registerCommands(COMMANDS);
