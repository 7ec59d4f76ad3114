import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AsOfTimeline } from "../core/api/types";
import { coversWindow, judgeUrgency, AsOfRequests, type AsOfAnswer } from "./asOfRequests";

const then = { points: [], differences: [], left_out: [] } as unknown as AsOfTimeline;
const SECOND = 1_000_000;
const MINUTES = 300 * SECOND;
const window = (start: number) => ({ start, end: start + MINUTES });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function asking(lanes: number, takes: number) {
  const [asked, told]: [string[], AsOfAnswer[]] = [[], []];
  let [open, most] = [0, 0];
  const asOfRequests = new AsOfRequests({ inWords: String, away: () => false, clock: () => Date.now() });
  const names = Array.from({ length: lanes }, (_, i) => `lane ${i}`);
  for (const name of names)
    asOfRequests.begin(
      name,
      async () => {
        asked.push(name);
        most = Math.max(most, (open += 1));
        await new Promise((done) => setTimeout(done, takes));
        open -= 1;
        return then;
      },
      (answer) => told.push(answer),
    );
  const look = (knownAt: number | null, start: number, seq: number) =>
    names.forEach((name) =>
      asOfRequests.look(name, knownAt === null ? null : { knownAt, window: window(start), seq }),
    );
  return { asked, told, look, most: () => most };
}

test("an answer counts while the window moves on and revisions come faster than it takes to answer", async () => {
  const { asked, told, look, most } = asking(9, 400);
  for (let tick = 0; tick < 20; tick += 1) {
    look(7, tick * 0.2 * SECOND, tick);
    await vi.advanceTimersByTimeAsync(200);
  }
  // Nine lanes by threes, 0.4 s each: all are answered long before the four seconds are over.
  expect(new Set(asked).size).toBe(9);
  expect(told.length).toBeGreaterThanOrEqual(9);
  expect(most()).toBeLessThanOrEqual(3);
  const before = asked.length;
  for (let tick = 20; tick < 70; tick += 1) {
    look(7, tick * 0.2 * SECOND, tick);
    await vi.advanceTimersByTimeAsync(200);
  }
  // Ten seconds more: one lane a second is compared anew, whatever is revised.
  expect(asked.length - before).toBeLessThanOrEqual(10);
  expect(asked.length - before).toBeGreaterThanOrEqual(5);
});

test("of moments that are slid over only where it rests is asked for, and an older answer is never told", async () => {
  const { asked, told, look } = asking(1, 400);
  for (let at = 1; at <= 10; at += 1) {
    look(at, 0, 1);
    await vi.advanceTimersByTimeAsync(50);
  }
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toHaveLength(1);
  look(11, 0, 1);
  await vi.advanceTimersByTimeAsync(3000);
  expect(asked).toHaveLength(2);
  expect(told.map(({ of }) => of)).toEqual([11]);
});

test("nothing is asked while nothing is revised, nor after the way back to now", async () => {
  const { asked, look } = asking(2, 100);
  look(7, 0, 1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(2);
  look(null, 0, 2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(2);
});

test("what failed is asked for again, not at once", async () => {
  let asked = 0;
  const asOfAnswers: AsOfAnswer[] = [];
  const asOfRequests = new AsOfRequests({ inWords: String, away: () => false, clock: () => Date.now() });
  const ask = () => (++asked === 1 ? Promise.reject(new Error("away")) : Promise.resolve(then));
  asOfRequests.begin("a", ask, (answer) => asOfAnswers.push(answer));
  asOfRequests.look("a", { knownAt: 7, window: window(0), seq: 1 });
  await vi.advanceTimersByTimeAsync(3000);
  expect([asked, asOfAnswers[0]?.failure]).toEqual([1, "Error: away"]);
  await vi.advanceTimersByTimeAsync(4000);
  expect([asked, asOfAnswers[1]?.failure]).toEqual([2, null]);
});

test("an answer lacks what it was not asked for", () => {
  const answer: AsOfAnswer = { of: 7, sheet: { start: 0, end: 100 }, seq: 1, then, failure: null };
  const look = { knownAt: 7, window: { start: 20, end: 70 }, seq: 1 };
  expect(judgeUrgency(answer, look)).toBeNull();
  expect(judgeUrgency(null, look)).toBe("now");
  expect(judgeUrgency(answer, { ...look, knownAt: 8 })).toBe("now");
  expect(judgeUrgency(answer, { ...look, window: { start: 60, end: 110 } })).toBe("now");
  expect(judgeUrgency(answer, { ...look, window: { start: 45, end: 95 } })).toBe("soon");
  expect(judgeUrgency(answer, { ...look, seq: 2 })).toBe("soon");
  const thinned = { ...answer, then: { ...then, left_out: [{}] } as unknown as AsOfTimeline };
  expect(judgeUrgency(thinned, { ...look, window: { start: 20, end: 30 } })).toBe("now");
  expect(coversWindow(answer, null, look.window)).toBe(false);
  expect(coversWindow(answer, 7, undefined)).toBe(false);
});
