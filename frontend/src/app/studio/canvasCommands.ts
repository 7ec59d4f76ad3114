/** The commands of selecting, arranging and looking. */
import { refusesMaking } from "../../core/api/rights";
import { askAlert, refusesAlert, selectedNode } from "./alerting";
import { pin } from "./pinning";
import type { Direction } from "../../core/graph/walk";
import { setBeside, showView, useViews } from "../../plans/text/store";
import { any, node, one, several, three, type Command } from "../../plans/editor/command";
import * as drawn from "../../plans/editor/selectionActions";
import * as edits from "../../plans/editor/edits";
import { setOverlay, toggleOverview } from "../../plans/editor/overlay";
import { get } from "../../plans/editor/store";
import * as view from "../../plans/editor/view";

function go(direction: Direction): void {
  const name = drawn.goTo(direction);
  if (name === null) return;
  view.reveal(name);
  view.focusNode(name);
}

function letGo(): void {
  edits.select([]);
  setOverlay({ picked: [] });
}

/** Only what is saved can be on a dashboard. */
const unsaved = (): string | null =>
  get().plan?.document.nodes[drawn.selectedNodes()[0] ?? ""] ? null : "The node is not saved yet.";

const ARROWS: readonly [Direction, string, number, number][] = [
  ["left", "ArrowLeft", -1, 0],
  ["right", "ArrowRight", 1, 0],
  ["up", "ArrowUp", 0, -1],
  ["down", "ArrowDown", 0, 1],
];
const STEP = 8;
const STRIDE = 64;

export const SELECT: readonly Command[] = [
  { title: "Select all", section: "Select", keys: ["Ctrl+A"], run: drawn.selectAll },
  { title: "Select nothing", section: "Select", keys: ["Escape"], run: letGo },
  {
    title: "Select everything upstream",
    section: "Select",
    keys: ["["],
    run: () => drawn.selectAlong("up"),
    refuses: node,
  },
  {
    title: "Select everything downstream",
    section: "Select",
    keys: ["]"],
    run: () => drawn.selectAlong("down"),
    refuses: node,
  },
  ...ARROWS.map(([direction, key]): Command => ({
    title: `Go to the next node ${direction === "up" || direction === "down" ? direction : `on the ${direction}`}`,
    section: "Select",
    keys: [`Alt+${key}`],
    run: () => go(direction),
    keysOnly: true,
  })),
];

export const ARRANGE: readonly Command[] = [
  { title: "Lay out the plan", section: "Arrange", keys: ["L"], run: () => void edits.arrangeAll() },
  {
    title: "Lay out selection",
    section: "Arrange",
    keys: ["Shift+L"],
    run: () => void edits.arrangeAll(drawn.selectedNodes()),
    refuses: several,
  },
  {
    title: "Align left",
    section: "Arrange",
    keys: ["Alt+A"],
    run: () => drawn.align("left"),
    refuses: several,
  },
  {
    title: "Align right",
    section: "Arrange",
    keys: ["Alt+D"],
    run: () => drawn.align("right"),
    refuses: several,
  },
  {
    title: "Align top",
    section: "Arrange",
    keys: ["Alt+W"],
    run: () => drawn.align("top"),
    refuses: several,
  },
  {
    title: "Align bottom",
    section: "Arrange",
    keys: ["Alt+S"],
    run: () => drawn.align("bottom"),
    refuses: several,
  },
  {
    title: "Align centres",
    section: "Arrange",
    keys: ["Alt+H"],
    run: () => drawn.align("centre"),
    refuses: several,
  },
  {
    title: "Align middles",
    section: "Arrange",
    keys: ["Alt+V"],
    run: () => drawn.align("middle"),
    refuses: several,
  },
  {
    title: "Distribute across",
    section: "Arrange",
    keys: ["Alt+Shift+H"],
    run: () => drawn.distribute("across"),
    refuses: three,
  },
  {
    title: "Distribute down",
    section: "Arrange",
    keys: ["Alt+Shift+V"],
    run: () => drawn.distribute("down"),
    refuses: three,
  },
  ...ARROWS.flatMap(([direction, key, x, y]): Command[] => [
    {
      title: `Move ${direction}`,
      section: "Arrange",
      keys: [key],
      run: () => drawn.nudge(x * STEP, y * STEP),
      refuses: any,
      keysOnly: true,
    },
    {
      title: `Move far ${direction}`,
      section: "Arrange",
      keys: [`Shift+${key}`],
      run: () => drawn.nudge(x * STRIDE, y * STRIDE),
      refuses: any,
      keysOnly: true,
    },
  ]),
];

export const LOOK: readonly Command[] = [
  { title: "Zoom to fit", section: "Look", keys: ["Shift+1", "F"], run: () => view.zoomToFit() },
  {
    title: "Zoom to selection",
    section: "Look",
    keys: ["Shift+2"],
    run: view.zoomToSelection,
    refuses: any,
  },
  { title: "Zoom to full size", section: "Look", keys: ["Shift+0"], run: view.zoomToFullSize },
  { title: "Zoom in", section: "Look", keys: ["+", "="], run: () => view.zoomBy(1.25) },
  { title: "Zoom out", section: "Look", keys: ["-"], run: () => view.zoomBy(0.8) },
  {
    title: "Show or hide the overview",
    section: "Look",
    keys: ["M"],
    run: toggleOverview,
  },
  ...(["canvas", "text", "json"] as const).map((shown, i): Command => ({
    title: `Show the plan as ${shown === "json" ? "JSON" : shown}`,
    section: "Look",
    keys: [`Alt+${i + 1}`],
    words: ["view", "switch"],
    typing: true,
    run: () => showView(shown),
  })),
  {
    title: "Pin the selected node to a dashboard",
    section: "Look",
    keys: [],
    words: ["chart", "board"],
    run: () => pin(drawn.selectedNodes()[0] ?? null),
    refuses: () => refusesMaking(get().me) ?? one() ?? unsaved(),
  },
  {
    title: "Make an alert on the selected node",
    section: "Add and wire",
    keys: [],
    words: ["alarm", "threshold", "incident", "notify"],
    run: () => askAlert(selectedNode() ?? null),
    refuses: () => one() ?? refusesAlert(selectedNode()),
  },
  {
    title: "Show or hide the split view",
    section: "Look",
    keys: [],
    words: ["view", "split"],
    run: () => setBeside(!useViews.getState().beside),
    refuses: () => (useViews.getState().view === "canvas" ? "Show the plan as text or JSON first." : null),
  },
];
