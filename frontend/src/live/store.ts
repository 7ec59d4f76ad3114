/** The lanes on the page, by node name, and the view that they share. */
import { create } from "zustand";
import { formatAddress, parseAddress } from "../core/time/parse";
import { isRange } from "../core/time/range";
import { omitKey } from "../core/graph/records";
import type { TimelineMessage } from "../core/socket/connection";
import { memoizeLast } from "../core/graph/memo";
import { keepBounds, EMPTY, hasData, applyMessage, type Lane } from "../timechart/lane";
import type { Window } from "../timechart/window";
import type { Follow } from "../timechart/view";

/** A node of which a lane is shown, for one key. */
export interface LaneRef {
  name: string;
  digest: string;
  pinned: string;
}

/** What is shown now: of all the lanes, of the overview and of the nodes on the canvas. */
export interface View {
  readonly window: Window;
  readonly now: number;
}

interface NamedLane {
  readonly name: string;
  readonly digest: string;
  readonly pinned: string;
}

interface PastLane extends Omit<NamedLane, "name"> {
  readonly lane: Lane;
}

/** What the nodes that are drawn say of the newest events of their streams. */
export interface Preview {
  readonly lanes: Readonly<Record<string, Lane>>;
  readonly keys: readonly string[];
  readonly groups: readonly string[];
  /** By stream, of how many events. */
  readonly events: Readonly<Record<string, number>>;
}

export interface LanesState {
  /** Those that are followed. */
  lanes: Readonly<Record<string, Lane>>;
  /** Where the lanes that were followed before began and ended. */
  past: Readonly<Record<string, PastLane>>;
  span: Follow;
  /** A stretch that was zoomed to; null follows now. */
  held: Window | null;
  pausedAt: number | null;
  /** The instant under the pointer, else the one that was set by keys. */
  cursor: number | null;
  /** The instant that was set by keys; it stays when the pointer leaves. */
  kept: number | null;
  /** The lane under the pointer. */
  pointed: string | null;
  /** A stretch that is being drawn with the pointer, to be zoomed to. */
  drawn: Window | null;
  view: View | null;
  /** The same, a few times a second while it moves: for what need not follow at once. */
  calm: View | null;
  key: string;
  group: string;
  preview: Preview | null;
}

export const query =
  typeof window === "undefined" ? new URLSearchParams() : new URLSearchParams(window.location.search);

const DEFAULT_SPAN = "5m";

function readSpan(): Follow {
  const range = query.get("range");
  return range === "all" || isRange(range) ? range : DEFAULT_SPAN;
}

function readHeld(): Window | null {
  const [start, end] = [parseAddress(query.get("from")), parseAddress(query.get("to"))];
  return start !== null && end !== null && start < end ? { start, end } : null;
}

export const useLanes = create<LanesState>(() => ({
  lanes: {},
  past: {},
  span: readSpan(),
  held: readHeld(),
  pausedAt: null,
  cursor: null,
  kept: null,
  pointed: null,
  drawn: null,
  view: null,
  calm: null,
  key: query.get("key") ?? "",
  group: query.get("group") ?? "",
  preview: null,
}));

const set = useLanes.setState;

export const readWallClock = (): number => Date.now() * 1000;

/** Lanes that have just ended: what goes on under another name is shown on until it is told anew. */
const endedLanes = new Map<string, Lane>();
const computing = ({ digest, pinned }: Omit<NamedLane, "name">): string => `${digest} ${pinned}`;

export function beginLane(named: NamedLane): void {
  const lane = endedLanes.get(computing(named)) ?? EMPTY;
  set((state) => ({ lanes: { ...state.lanes, [named.name]: lane } }));
}

export function receiveMessage(name: string, message: TimelineMessage): void {
  set((state) => {
    const lane = applyMessage(state.lanes[name] ?? EMPTY, message, readWallClock());
    return { lanes: { ...state.lanes, [name]: lane } };
  });
}

/** Whoever begins to follow the same in this turn of the page takes it over. */
function handOverLane(of: Omit<NamedLane, "name">, lane: Lane): void {
  endedLanes.set(computing(of), lane);
  setTimeout(() => endedLanes.delete(computing(of)));
}

/** It is followed no more; what the window was reckoned from stays. */
export function endLane({ name, digest, pinned }: NamedLane): void {
  set(({ lanes, past }) => {
    const lane = lanes[name];
    if (lane && hasData(lane)) handOverLane({ digest, pinned }, lane);
    const held =
      lane && hasData(lane) ? { digest, pinned, lane: keepBounds(lane, readWallClock()) } : past[name];
    return { lanes: omitKey(lanes, name), past: held ? { ...past, [name]: held } : past };
  });
}

const withPreview = memoizeLast((lanes: LanesState["lanes"], preview: Preview | null) => {
  if (preview === null) return lanes;
  const heard = Object.entries(lanes).filter(([name, lane]) => hasData(lane) || !(name in preview.lanes));
  return { ...preview.lanes, ...Object.fromEntries(heard) };
});

/** The lanes that can be shown: of nodes of which nothing was heard yet, their preview. */
export const selectShownLanes = ({
  lanes,
  preview,
}: Pick<LanesState, "lanes" | "preview">): LanesState["lanes"] => withPreview(lanes, preview);

/** What the window is reckoned from: the lanes that are followed, and of the others what was last heard of them. */
export function selectWindowLanes(
  { lanes, past }: Pick<LanesState, "lanes" | "past">,
  all: readonly NamedLane[],
): Lane[] {
  return all.flatMap(({ name, digest, pinned }) => {
    const [lane, held] = [lanes[name], past[name]];
    if (lane && hasData(lane)) return lane;
    return held?.digest === digest && held.pinned === pinned ? held.lane : [];
  });
}

export function setSpan(span: Follow): void {
  set({ span, held: null });
  updateAddress();
}

export function holdWindow(held: Window): void {
  set({ held });
  updateAddress();
}

export function followNow(): void {
  set({ held: null, pausedAt: null });
  updateAddress();
}

const ADDRESS_MS = 300;
let telling = 0;

/** The range is part of the address, so that a link shows the same; browsers refuse to change it often. */
function updateAddress(): void {
  clearTimeout(telling);
  telling = setTimeout(() => {
    const { span, held } = useLanes.getState();
    const isDefault = held !== null || span === DEFAULT_SPAN;
    changeAddress({
      range: isDefault ? "" : span,
      from: held ? formatAddress(Math.round(held.start)) : "",
      to: held ? formatAddress(Math.round(held.end)) : "",
    });
  }, ADDRESS_MS) as unknown as number;
}

/** Words of the address; an empty one is left out. */
export function changeAddress(words: Readonly<Record<string, string>>): void {
  const address = new URL(window.location.href);
  for (const [name, value] of Object.entries(words))
    if (value === "") address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  address.search = address.search.replaceAll("%3A", ":");
  window.history.replaceState(null, "", address);
}

export function setPausedAt(at: number | null): void {
  set({ pausedAt: at });
}

/** The pointer is at an instant of a lane, or (null) has left. */
export function setPointer(pointed: string | null, at: number | null): void {
  set(({ kept }) => ({ pointed: at === null ? null : pointed, cursor: at ?? kept }));
}

/** The cursor goes to an instant and stays there; null takes it away. */
export function keepCursor(kept: number | null): void {
  set({ kept, cursor: kept, pointed: null });
}

export function setDrawnWindow(drawn: Window | null): void {
  set({ drawn });
}

const CALM_MS = 150;
let calming = 0;

export function showView(view: View): void {
  set(calming === 0 ? { view, calm: view } : { view });
  if (calming !== 0) return;
  calming = window.setTimeout(() => {
    calming = 0;
    const state = useLanes.getState();
    if (state.view && state.view !== state.calm) showView(state.view);
  }, CALM_MS);
}

/** Pin a key (or a group). It is part of the address, so that a reload shows the same. */
export function setPinned(what: "key" | "group", value: string): void {
  set({ [what]: value });
  changeAddress({ [what]: value });
}
