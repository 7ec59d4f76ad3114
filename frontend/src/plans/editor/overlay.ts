/** What lies over the canvas and is no part of the plan: menus, wires that are picked, what a drag would do. */
import { create } from "zustand";
import type { Wire } from "../../core/graph/document";
import type { Position } from "../../core/graph/position";
import type { Spot } from "../../core/graph/insert";

/** Choosing an operator for a spot: `at` is a place of the plan, `screen` one of the page. */
export interface QuickAdd {
  at: Position;
  screen: { x: number; y: number };
  spot: Spot;
}

export interface LitPath {
  readonly nodes: ReadonlySet<string>;
  /** `from>to` of each wire between a node and an input concerned. */
  readonly wires: ReadonlySet<string>;
}

export const NOWHERE: LitPath = { nodes: new Set(), wires: new Set() };

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
  /** The overview: where it covers no node, or also over nodes, or not at all. */
  minimap: "free" | "over" | "hidden";
  /** Whether it would cover a node now. */
  folded: boolean;
  /** Whether somebody points into it: then it stays. */
  pointed: boolean;
  /** What leads to a value that is being explained. */
  lit: LitPath;
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
  minimap: "free",
  folded: false,
  pointed: false,
  lit: NOWHERE,
}));

export const setOverlay = useOverlay.setState;
export const getOverlay = useOverlay.getState;

/** Whether the overview is shown. */
export const showsOverview = ({ minimap, folded }: Overlay): boolean =>
  minimap === "over" || (minimap === "free" && !folded);

/** Show the overview, over nodes where it has no other room; or hide it. */
export function toggleOverview(): void {
  const minimap = showsOverview(getOverlay()) ? "hidden" : getOverlay().folded ? "over" : "free";
  setOverlay({ minimap, pointed: false });
}

export const wireId = ({ from, to, port }: Wire): string => `${from}>${to}.${port}`;

/** Close what is open; whether anything was. */
export function closeAll(): boolean {
  const { open, quick, wiring } = getOverlay();
  if (open === null && quick === null && wiring === null) return false;
  setOverlay({ open: null, quick: null, wiring: null });
  return true;
}
