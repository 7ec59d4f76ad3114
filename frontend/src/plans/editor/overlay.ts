/** The state of the canvas that is no part of the plan: open menus, selected wires, the effect of a drag. */
import { create } from "zustand";
import type { Wire } from "../../core/graph/document";
import type { Position } from "../../core/graph/position";
import type { Spot } from "../../core/graph/insert";

/** The choice of an operator for a spot: `at` in coordinates of the plan, `screen` in those of the page. */
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
  /** The ids of the selected wires. */
  picked: readonly string[];
  /** The wire into which a drop would insert the dragged node. */
  aimed: string | null;
  /** The port from which a wire is being drawn. */
  drawn: { from: string; port: string | null } | null;
  /** The operator that is being dragged from the palette. */
  carried: string | null;
  /** The comment or group whose text is being written. */
  editing: string | null;
  /** The minimap: shown if it covers no node, always, or never. */
  minimap: "free" | "over" | "hidden";
  /** Whether the minimap would cover a node now. */
  folded: boolean;
  /** Whether the pointer is in the minimap, which then stays. */
  pointed: boolean;
  /** The nodes and wires that lead to the value being explained. */
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

/** Whether the minimap is shown. */
export const showsOverview = ({ minimap, folded }: Overlay): boolean =>
  minimap === "over" || (minimap === "free" && !folded);

/** Show the minimap, over nodes if it has no other room, or hide it. */
export function toggleOverview(): void {
  const minimap = showsOverview(getOverlay()) ? "hidden" : getOverlay().folded ? "over" : "free";
  setOverlay({ minimap, pointed: false });
}

export const wireId = ({ from, to, port }: Wire): string => `${from}>${to}.${port}`;

/** Close all menus; return whether any was open. */
export function closeAll(): boolean {
  const { open, quick, wiring } = getOverlay();
  if (open === null && quick === null && wiring === null) return false;
  setOverlay({ open: null, quick: null, wiring: null });
  return true;
}
