/** When the events of a key are asked for: one question at a time, early where the window leaves what was asked for. */
import type { Ticks } from "../core/api/streams";
import type { Window } from "../timechart/window";
import { isInside, lengthOf, widened } from "../timechart/view";

/** So often it is asked whether events came, while now is seen. */
export const POLL_INTERVAL_MS = 2000;
/** After so long it is asked again where that failed. */
const FAILED_MS = 5000;
/** A window that moves on is asked for once it rests. */
const REST_MS = 100;
/** Where not all events were told, a window so many times closer is asked for by itself. */
const CLOSER = 5;

export interface LoadedTicks {
  readonly ticks: Ticks | null;
  /** Why the newest question was not answered. */
  readonly failure: string | null;
}

export const NO_TICKS: LoadedTicks = { ticks: null, failure: null };

/** So many of what is known are kept at most where not all were told. */
const MAX_KEPT_TICKS = 5000;

/**
 * What is known of a window after an answer: where not all were told, what was known of it before stays, each event as
 * often as it was known to be, and how late it came where the answer had no time to find that out.
 */
export function mergeTicks(before: Ticks | null, told: Ticks, { start, end }: Window): Ticks {
  if (told.complete || before === null) return told;
  const left = new Map<number, (number | null)[]>();
  for (const { t, late } of before.events)
    if (t >= start && t <= end) left.set(t, [...(left.get(t) ?? []), late]);
  const events = told.events.map(({ t, late }) => {
    const known = left.get(t)?.shift();
    return { t, late: late ?? known ?? null };
  });
  const older = [...left].flatMap(([t, lates]) => lates.map((late) => ({ t, late })));
  return { ...told, events: [...events, ...older].sort((a, b) => a.t - b.t).slice(-MAX_KEPT_TICKS) };
}

interface Question {
  ask(sheet: Window): Promise<Ticks>;
  told(change: (before: LoadedTicks) => LoadedTicks): void;
  inWords(error: unknown): string;
  /** Nobody looks at the page. */
  away(): boolean;
}

/** The asking of one stream and key, as the window moves. */
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

  constructor(private readonly question: Question) {}

  /** This is seen now; `live`: events may come into it. */
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

  /** Nothing while a question is open: its answer plans what follows. */
  private plan(): void {
    if (this.asking || this.ended) return;
    if (this.lacks) this.after(REST_MS);
    else if (this.failed) this.after(FAILED_MS);
    else if (this.live) this.after(POLL_INTERVAL_MS);
  }

  /** Ask after so long, unless it is asked sooner anyway. */
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
    const sheet = widened(this.window);
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
