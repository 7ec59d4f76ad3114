/** What lies over the canvas and is no part of the plan: menus, wires that are picked, what a drag would do. */
import { create } from "zustand";
import type { Wire } from "../graph/document";
import type { Position } from "../graph/edit";
import type { Spot } from "../graph/insert";

/** Choosing an operator for a spot: `at` is a place of the plan, `screen` one of the page. */
export interface QuickAdd {
  at: Position;
  screen: { x: number; y: number };
  spot: Spot;
}

export interface Overlay {
  open: "commands" | "keys" | null;
  quick: QuickAdd | null;
  /** The node for which a wire is being chosen by keyboard. */
  wiring: string | null;
  /** The wires that are selected, by id. */
  picked: readonly string[];
  /** The wire into which what is dragged would be put. */
  aimed: string | null;
  /** The end from which a wire is being drawn. */
  drawn: { from: string; port: string | null } | null;
  /** The operator that is being dragged from the palette. */
  carried: string | null;
  /** The comment or group whose text is being written. */
  editing: string | null;
  minimap: boolean;
}

export const useOverlay = create<Overlay>(() => ({
  open: null,
  quick: null,
  wiring: null,
  picked: [],
  aimed: null,
  drawn: null,
  carried: null,
  editing: null,
  minimap: true,
}));

export const lay = useOverlay.setState;
export const laid = useOverlay.getState;

export const wireId = ({ from, to, port }: Wire): string => `${from}>${to}.${port}`;

/** Close what is open; whether anything was. */
export function closeAll(): boolean {
  const { open, quick, wiring } = laid();
  if (open === null && quick === null && wiring === null) return false;
  lay({ open: null, quick: null, wiring: null });
  return true;
}
