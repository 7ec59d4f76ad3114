/** The timelines of many keys of a node: asked every few seconds, once however many charts show them. */
import { ApiError, describeError } from "../core/api/client";
import type { KeyTimelines } from "../core/api/timelines";
import { fetchKeyTimelines } from "../core/api/timelineCalls";
import { MAX_KEY_ROWS, rowsOf, coversView, type KeyRow } from "../timechart/keyRows";
import type { Window } from "../timechart/window";
import { widenWindow } from "../timechart/view";
import { toFeedProgress, UNRANKED, type Ranked } from "./feedState";
import { EVER, Followed, getOrCreate, type Subscription } from "./followed";

const AGAIN_MS = 5000;
const SETTLED_MS = 200;
const PIXELS = 600;

export interface KeyRows extends Ranked {
  readonly rows: readonly KeyRow[];
  readonly isComplete: boolean;
  /** The window that was seen when they were asked for. */
  readonly seen: Window;
}

const NOTHING: KeyRows = { ...UNRANKED, rows: [], isComplete: true, seen: { start: 0, end: 1 } };

export class KeysFeed extends Followed<KeyRows> {
  state = NOTHING;
  private readonly needs = new Map<object, Window>();
  private asked: Window | null = null;

  constructor(
    readonly digest: string,
    place: Subscription,
  ) {
    super(place);
  }

  protected nothing(): KeyRows {
    return NOTHING;
  }

  /** Somebody shows this much: asked anew at once where that is more, or much less, than what there is. */
  need(stretch: Window, who: object): void {
    this.needs.set(who, stretch);
    if (this.asked === null || coversView(this.asked, this.needed())) return;
    this.asked = null;
    this.begin();
  }

  forget(who: object): void {
    this.needs.delete(who);
  }

  private needed(): Window {
    const all = [...this.needs.values()];
    const start = Math.min(...all.map((one) => one.start));
    return { start, end: Math.max(...all.map((one) => one.end)) };
  }

  protected open(): () => void {
    let isOpen = true;
    let timer = 0;
    const later = (wait: number) => (timer = window.setTimeout(() => void ask(), wait));
    const ask = async () => {
      if (!document.hidden && this.needs.size > 0) {
        const seen = this.needed();
        const told = await this.ask(seen).catch((error: unknown) => error);
        if (!isOpen) return;
        this.become(stateAfter(this.state, told, seen), EVER);
      }
      later(AGAIN_MS);
    };
    later(SETTLED_MS);
    return () => {
      isOpen = false;
      window.clearTimeout(timer);
    };
  }

  private ask(seen: Window): Promise<KeyTimelines> {
    const { start, end } = widenWindow(seen);
    this.asked = { start: Math.floor(start), end: Math.ceil(end) };
    const { start: from, end: to } = this.asked;
    return fetchKeyTimelines(this.digest, { search: "", from, to, points: PIXELS, limit: MAX_KEY_ROWS });
  }
}

const isTold = (told: unknown): told is KeyTimelines =>
  typeof told === "object" && told !== null && "known" in told;

/** After an answer, or what was thrown in place of one: of a node that may not be seen (any more) nothing stays. */
function stateAfter(state: KeyRows, told: unknown, seen: Window): KeyRows {
  if (!isTold(told)) {
    const isLost = told instanceof ApiError && told.status === 404;
    return { ...(isLost ? NOTHING : state), error: describeError(told), heard: true };
  }
  const rows = rowsOf(told);
  const { kind, known: total, complete: isComplete } = told;
  return { kind, rows, ranked: rows.length, total, isComplete, seen, ...toFeedProgress(told) };
}

const held = new Map<string, KeysFeed>();

export const keysFeed = (digest: string): KeysFeed =>
  getOrCreate(held, digest, (place) => new KeysFeed(digest, place));

export const keysFeeds = (): readonly KeysFeed[] => [...held.values()];
