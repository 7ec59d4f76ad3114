/** The menus of the canvas: the commands that are about what was clicked. */
import type { Edge, Node } from "@xyflow/react";
import {
  BellPlus,
  BoxSelect,
  CircleQuestionMark,
  ClipboardPaste,
  Copy,
  CopyPlus,
  Flag,
  Maximize,
  Network,
  PanelRight,
  Pencil,
  Pin,
  Plus,
  Scissors,
  Spline,
  StickyNote,
  Trash2,
  Unplug,
  type LucideIcon,
} from "lucide-react";
import { onMenu, type Click } from "../../core/ui/ContextMenu";
import type { MenuGroups, MenuItem } from "../../core/ui/MenuList";
import { toWire } from "./toWire";
import { any, commandTitled, named, node, one, perform, type Command } from "./command";
import { select } from "./edits";
import { chordText } from "./chord";
import { setOverlay } from "./overlay";
import { offerOperators } from "./panels";
import { get } from "./store";
import { toCanvas } from "./view";

type Entry = readonly [command: string, title: string, icon: LucideIcon];

const OF_NODE: readonly (readonly Entry[])[] = [
  [
    ["Edit the selected node", "Edit", PanelRight],
    ["Rename the selected node or group", "Rename", Pencil],
    ["Make the selected node an output, or not", "Output: on or off", Flag],
    ["Help for the selected operator", "Help", CircleQuestionMark],
  ],
  [
    ["Add a node after the selected one", "Add a node after it", Plus],
    ["Connect the selected node to another", "Connect to another node", Spline],
    ["Pin the selected node to a dashboard", "Pin to dashboard", Pin],
    ["Make an alert on the selected node", "Alert…", BellPlus],
  ],
  [
    ["Copy", "Copy", Copy],
    ["Cut", "Cut", Scissors],
    ["Duplicate", "Duplicate", CopyPlus],
  ],
  [
    ["Delete and reconnect", "Delete and reconnect", Unplug],
    ["Delete", "Delete", Trash2],
  ],
];

const OF_PANE: readonly (readonly Entry[])[] = [
  [
    ["Add a comment", "Add a comment", StickyNote],
    ["Paste", "Paste", ClipboardPaste],
  ],
  [
    ["Select all", "Select all", BoxSelect],
    ["Lay out the plan", "Lay out the plan", Network],
    ["Zoom to fit", "Zoom to fit", Maximize],
  ],
];

/** The commands that the menus offer, by the titles under which they are registered. */
export const OFFERED: readonly string[] = [...OF_NODE, ...OF_PANE].flat().map(([command]) => command);

/** What does not fit what was clicked is left out; what cannot be done now says why. */
const KINDS: ReadonlySet<Command["refuses"]> = new Set([node, one, named, any]);

function itemOf([name, title, icon]: Entry): MenuItem[] {
  const command = commandTitled(name);
  const refusal = command?.refuses?.() ?? null;
  if (!command || (refusal !== null && KINDS.has(command.refuses))) return [];
  const [chord] = command.keys;
  return [
    {
      id: `canvas-${name.toLowerCase().replaceAll(" ", "-")}`,
      title,
      icon,
      ...(refusal === null ? {} : { hint: refusal, disabled: true }),
      ...(chord === undefined ? {} : { keys: chordText(chord) }),
      danger: name === "Delete",
      act: () => perform(command),
    },
  ];
}

const groupsOf = (entries: readonly (readonly Entry[])[]): MenuGroups =>
  entries.map((group) => group.flatMap(itemOf)).filter((group) => group.length > 0);

/** What is clicked is selected, unless it is one of several that are. */
export function onNodeMenu(event: Click, { id }: Pick<Node, "id">): void {
  if (!get().selected.includes(id)) {
    select([id]);
    setOverlay({ picked: [] });
  }
  onMenu({ title: "Actions of the selection", groups: groupsOf(OF_NODE) })(event);
}

export function onWireMenu(event: Click, edge: Edge): void {
  const screen = { x: event.clientX, y: event.clientY };
  select([]);
  setOverlay({ picked: [edge.id] });
  const insert: MenuItem = {
    id: "canvas-insert",
    title: "Insert a node",
    icon: Plus,
    act: () => offerOperators(toWire(edge), { at: toCanvas(screen), screen }),
  };
  onMenu({ title: "Actions of the wire", groups: [[insert], itemOf(["Delete", "Delete", Trash2])] })(event);
}

export function onPaneMenu(event: Click): void {
  const screen = { x: event.clientX, y: event.clientY };
  const add: MenuItem = {
    id: "canvas-add",
    title: "Add a node here",
    icon: Plus,
    act: () => offerOperators(null, { at: toCanvas(screen), screen }),
  };
  onMenu({ title: "Actions of the canvas", groups: [[add], ...groupsOf(OF_PANE)] })(event);
}
