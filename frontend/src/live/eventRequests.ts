/** Schedules the requests for the events of a key: one at a time, at once when the window leaves what is loaded. */
import type { Ticks } from "../core/api/streams";
import type { Window } from "../timechart/window";
import { isInside, lengthOf, widenWindow } from "../timechart/view";

/** How often new events are requested while the window includes now. */
export const POLL_INTERVAL_MS = 2000;
/** The pause after a failed request. */
const FAILED_MS = 5000;
/** While the window moves nothing is requested. */
const REST_MS = 100;
/** If the answer was incomplete, a window this many times shorter gets its own request. */
const CLOSER = 5;

export interface LoadedTicks {
  readonly ticks: Ticks | null;
  /** Why the newest request failed. */
  readonly failure: string | null;
}

export const NO_TICKS: LoadedTicks = { ticks: null, failure: null };

const MAX_KEPT_TICKS = 5000;

/**
 * Merge an answer into the known events of a window. If the answer is incomplete, earlier known events stay, and so does
 * the lateness that the answer had no time to compute.
 */
export function mergeTicks(before: Ticks | null, answer: Ticks, { start, end }: Window): Ticks {
  if (answer.complete || before === null) return answer;
  const left = new Map<number, (number | null)[]>();
  for (const { t, late } of before.events)
    if (t >= start && t <= end) left.set(t, [...(left.get(t) ?? []), late]);
  const events = answer.events.map(({ t, late }) => {
    const known = left.get(t)?.shift();
    return { t, late: late ?? known ?? null };
  });
  const older = [...left].flatMap(([t, lates]) => lates.map((late) => ({ t, late })));
  return { ...answer, events: [...events, ...older].sort((a, b) => a.t - b.t).slice(-MAX_KEPT_TICKS) };
}

interface EventCalls {
  ask(sheet: Window): Promise<Ticks>;
  told(change: (before: LoadedTicks) => LoadedTicks): void;
  inWords(error: unknown): string;
  /** Whether the page is hidden. */
  away(): boolean;
}

/** The requests for one stream and key, as the window moves. */
export class EventRequests {
  private window: Window | null = null;
  private live = false;
  private sheet: Window | null = null;
  private complete = true;
  private failed = false;
  private asking = false;
  private ended = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due = Infinity;

  constructor(private readonly question: EventCalls) {}

  /** Set the visible window; `live` if new events may appear in it. */
  look(window: Window, live: boolean): void {
    this.window = window;
    this.live = live;
    this.plan();
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private get lacks(): boolean {
    const { window, sheet } = this;
    if (!window) return false;
    if (!sheet || !isInside(window, sheet)) return true;
    return !this.complete && lengthOf(sheet) > CLOSER * lengthOf(window);
  }

  /** Do nothing while a request is open: its answer plans what follows. */
  private plan(): void {
    if (this.asking || this.ended) return;
    if (this.lacks) this.after(REST_MS);
    else if (this.failed) this.after(FAILED_MS);
    else if (this.live) this.after(POLL_INTERVAL_MS);
  }

  /** Request after this time, unless an earlier request is planned. */
  private after(ms: number): void {
    const due = Date.now() + ms;
    if (due >= this.due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.turn(), ms);
  }

  private turn(): void {
    this.due = Infinity;
    if (this.question.away()) this.after(POLL_INTERVAL_MS);
    else if (this.live || this.failed || this.lacks) void this.ask();
  }

  private async ask(): Promise<void> {
    if (!this.window) return;
    this.asking = true;
    const sheet = widenWindow(this.window);
    this.sheet = sheet;
    try {
      const ticks = await this.question.ask(sheet);
      this.complete = ticks.complete;
      this.failed = false;
      if (!this.ended)
        this.question.told((before) => ({ ticks: mergeTicks(before.ticks, ticks, sheet), failure: null }));
    } catch (error) {
      this.failed = true;
      const failure = this.question.inWords(error);
      if (!this.ended) this.question.told(({ ticks }) => ({ ticks, failure }));
    }
    this.asking = false;
    this.plan();
  }
}
