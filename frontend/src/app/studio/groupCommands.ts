/** The commands of groups. */
import { COLOURS, groupOf } from "../../core/graph/drawing";
import { node, type Command } from "../../plans/editor/command";
import * as drawn from "../../plans/editor/selectionActions";
import { documentOf, get } from "../../plans/editor/store";

const grouped = (): string | null =>
  drawn.selectedNodes().some((name) => groupOf(documentOf(get()), name) >= 0)
    ? null
    : "Select a group first.";

export const GROUPS: readonly Command[] = [
  { title: "Group", section: "Edit", keys: ["Ctrl+G"], run: drawn.groupSelected, refuses: node },
  {
    title: "Ungroup",
    section: "Edit",
    keys: ["Ctrl+Shift+G"],
    run: drawn.ungroupSelected,
    refuses: grouped,
  },
  ...COLOURS.map((colour): Command => ({
    title: `Colour the group ${colour}`,
    section: "Edit",
    keys: [],
    words: ["color", "frame"],
    run: () => drawn.colourSelected(colour),
    refuses: grouped,
  })),
];
