import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AFTER_MS, createAsker } from "./latestAnswer";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function asking() {
  const asked: {
    question: string;
    signal: AbortSignal;
    answer: (it: string) => void;
    fail: (why: Error) => void;
  }[] = [];
  const told: unknown[] = [];
  const asker = createAsker<string, string>(
    (question, signal) =>
      new Promise((answer, fail) => {
        asked.push({ question, signal, answer, fail });
      }),
    (more) => told.push(more),
  );
  return { ...asker, asked, told };
}

test("while somebody types nothing is asked; then the last is", () => {
  const { ask, asked } = asking();
  for (const text of ["a", "ab", "abc"]) ask(text);
  vi.advanceTimersByTime(AFTER_MS);
  expect(asked.map(({ question }) => question)).toEqual(["abc"]);
});

test("what is asked no more is given up, and its answer is not told", async () => {
  const { ask, asked, told } = asking();
  ask("old", 0);
  vi.advanceTimersByTime(0);
  ask("new", 0);
  vi.advanceTimersByTime(0);
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  asked[1]?.answer("newer");
  asked[0]?.answer("older");
  await vi.runAllTimersAsync();
  expect(told.filter((one) => (one as { busy: boolean }).busy === false)).toEqual([
    { question: "new", answer: "newer", error: null, busy: false },
  ]);
});

test("a failure is told with its question, and the end is silent", async () => {
  const { ask, asked, told, end } = asking();
  ask("bad", 0);
  vi.advanceTimersByTime(0);
  asked[0]?.fail(new Error("no"));
  await vi.runAllTimersAsync();
  expect(told.at(-1)).toMatchObject({ question: "bad", answer: null, error: new Error("no") });
  const before = told.length;
  ask("gone", 0);
  end();
  await vi.runAllTimersAsync();
  expect(told.slice(before)).toEqual([{ busy: true }]);
});
