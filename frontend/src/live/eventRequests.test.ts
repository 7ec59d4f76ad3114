import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Ticks } from "../core/api/streams";
import { POLL_INTERVAL_MS, EventRequests, mergeTicks, NO_TICKS, type LoadedTicks } from "./eventRequests";
import type { Window } from "../timechart/window";

const S = 1_000_000;
const seen = (start: number, end: number): Window => ({ start: start * S, end: end * S });
const ticks = (complete = true): Ticks => ({ events: [], complete, allowed_lateness: 0, retention: 0 });

/** A server whose answers are given by hand, and what the page was told. */
function asked() {
  const questions: { sheet: Window; answer: (one: Ticks) => void; fail: (error: Error) => void }[] = [];
  const page = { told: NO_TICKS as LoadedTicks, away: false };
  const asking = new EventRequests({
    ask: (sheet) => new Promise((answer, fail) => questions.push({ sheet, answer, fail })),
    told: (change) => (page.told = change(page.told)),
    inWords: (error) => (error as Error).message,
    away: () => page.away,
  });
  return { asking, questions, page };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("events are asked for", () => {
  test("and a slow answer is shown although the window went on with the clock meanwhile", async () => {
    const { asking, questions, page } = asked();
    for (let second = 0; second < 4; second++) {
      asking.look(seen(second, 300 + second), true);
      await pass(1000);
    }
    expect(questions).toHaveLength(1);
    questions[0]?.answer(ticks());
    await pass(0);
    expect(page.told.ticks).toEqual(ticks());
  });

  test("again only a while after the answer, also while the clock ticks", async () => {
    const { asking, questions } = asked();
    asking.look(seen(0, 300), true);
    await pass(100);
    questions[0]?.answer(ticks());
    await pass(0);
    asking.look(seen(1, 301), true);
    await pass(POLL_INTERVAL_MS - 1);
    expect(questions).toHaveLength(1);
    await pass(1);
    expect(questions).toHaveLength(2);
  });

  test("at once where the window leaves what was asked for, and not at all where it stays and nothing can come", async () => {
    const { asking, questions } = asked();
    asking.look(seen(0, 100), false);
    await pass(100);
    questions[0]?.answer(ticks());
    await pass(60_000);
    asking.look(seen(30, 130), false);
    await pass(60_000);
    expect(questions).toHaveLength(1);
    asking.look(seen(60, 160), false);
    await pass(100);
    expect(questions[1]?.sheet).toEqual(seen(10, 210));
  });

  test("closer where not all of them were told", async () => {
    const { asking, questions } = asked();
    asking.look(seen(0, 100), false);
    await pass(100);
    questions[0]?.answer(ticks(false));
    await pass(0);
    asking.look(seen(50, 60), false);
    await pass(100);
    expect(questions[1]?.sheet).toEqual(seen(45, 65));
  });

  test("again where that failed, and why is told meanwhile beside what is known", async () => {
    const { asking, questions, page } = asked();
    asking.look(seen(0, 100), false);
    await pass(100);
    questions[0]?.answer(ticks());
    await pass(0);
    asking.look(seen(100, 200), false);
    await pass(100);
    questions[1]?.fail(new Error("The server does not answer."));
    await pass(0);
    expect(page.told).toEqual({ ticks: ticks(), failure: "The server does not answer." });
    await pass(5000);
    questions[2]?.answer(ticks());
    await pass(0);
    expect(page.told.failure).toBeNull();
  });

  test("not while nobody looks, and no more once the row is gone", async () => {
    const { asking, questions, page } = asked();
    page.away = true;
    asking.look(seen(0, 100), true);
    await pass(10_000);
    expect(questions).toHaveLength(0);
    page.away = false;
    await pass(POLL_INTERVAL_MS);
    expect(questions).toHaveLength(1);
    asking.end();
    questions[0]?.answer(ticks());
    await pass(60_000);
    expect([page.told, questions.length]).toEqual([NO_TICKS, 1]);
  });
});

describe("an answer for which there was no time", () => {
  const of = (complete: boolean, ...events: [t: number, late: number | null][]): Ticks => ({
    ...ticks(complete),
    events: events.map(([t, late]) => ({ t: t * S, late })),
  });

  test("empties no row: what is known of the window stays until it is told anew", () => {
    const before = of(true, [10, 0], [20, 0], [20, 5], [300, 0]);
    expect(mergeTicks(before, of(false), seen(0, 100))).toEqual(of(false, [10, 0], [20, 0], [20, 5]));
    expect(mergeTicks(before, of(false, [20, null], [30, null]), seen(0, 100))).toEqual(
      of(false, [10, 0], [20, 0], [20, 5], [30, null]),
    );
    expect(mergeTicks(before, of(true, [30, 0]), seen(0, 100))).toEqual(of(true, [30, 0]));
    expect(mergeTicks(null, of(false), seen(0, 100))).toEqual(of(false));
  });

  test("is asked again, and what is known is seen all the while", async () => {
    const { asking, questions, page } = asked();
    asking.look(seen(0, 100), true);
    await pass(100);
    questions[0]?.answer(of(true, [10, 0]));
    await pass(POLL_INTERVAL_MS);
    questions[1]?.answer(of(false));
    await pass(0);
    expect(page.told.ticks?.events).toEqual(of(true, [10, 0]).events);
    await pass(POLL_INTERVAL_MS);
    expect(questions).toHaveLength(3);
  });
});
