/** The keys of the lanes: they move the cursor, pan and zoom. */
import type { KeyboardEvent } from "react";
import { isIn } from "../timechart/timeScale";
import {
  followNow,
  holdWindow,
  keepCursor,
  selectShownLanes,
  useLanes,
  type LanesState,
  type View,
} from "./store";
import { lengthOf, middleOf, findNextChange, panWindow, moveIntoView, zoomWindow } from "../timechart/view";

const STEP = 0.01;
const PAN = 0.25;
const ZOOM = 1.5;

export const KEYS_IN_WORDS =
  "Arrow keys move the time cursor, with Shift to the next change, with Control they move the window; + and - zoom, " +
  "0 goes live, Escape removes the cursor.";

function move(to: number, { window, now }: View): void {
  const at = Math.min(to, now);
  keepCursor(at);
  const shown = moveIntoView(window, at);
  if (shown !== window) holdWindow(shown);
}

function arrow(
  way: 1 | -1,
  event: Pick<KeyboardEvent, "shiftKey" | "ctrlKey">,
  view: View,
  state: LanesState,
) {
  if (event.ctrlKey) return holdWindow(panWindow(view.window, way * PAN));
  const at = state.cursor ?? (isIn(view.now, view.window) ? view.now : middleOf(view.window));
  if (!event.shiftKey) return move(at + way * STEP * lengthOf(view.window), view);
  const next = findNextChange(Object.values(selectShownLanes(state)), at, way, view.now);
  if (next !== null) move(next, view);
}

function pressed(event: KeyboardEvent, view: View, state: LanesState): boolean {
  const around = state.cursor ?? middleOf(view.window);
  const way = { ArrowLeft: -1 as const, ArrowRight: 1 as const }[event.key];
  if (way) arrow(way, event, view, state);
  else if (event.key === "+" || event.key === "=") holdWindow(zoomWindow(view.window, around, 1 / ZOOM));
  else if (event.key === "-") holdWindow(zoomWindow(view.window, around, ZOOM));
  else if (event.key === "0") followNow();
  else if (event.key === "Escape" && state.kept !== null) keepCursor(null);
  else return false;
  return true;
}

export function onLaneKey(event: KeyboardEvent): void {
  const state = useLanes.getState();
  const typing = event.target instanceof Element && event.target.matches("input, select, textarea");
  if (state.view && !typing && !event.altKey && !event.metaKey && pressed(event, state.view, state))
    event.preventDefault();
}
