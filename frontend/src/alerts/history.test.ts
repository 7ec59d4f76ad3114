import { afterAll, beforeAll, expect, test } from "vitest";
import { setZone } from "../core/time/zone";
import type { Note, Transition } from "./calls";
import { describeTransition, listHistory } from "./history";

const SECOND = 1_000_000;
const NOON = 1_719_835_200 * SECOND;

const change = (number: number, more: Partial<Transition>): Transition => ({
  number,
  kind: "firing",
  state: "firing",
  start: NOON,
  end: null,
  event_time: NOON,
  known_at: NOON + number * SECOND,
  joined: null,
  ...more,
});

beforeAll(() => setZone("UTC"));
afterAll(() => setZone(""));

test("a change says what it did to the span", () => {
  const fired = change(1, {});
  const later = change(2, { kind: "amended", start: NOON + 60 * SECOND });
  const shorter = change(3, { kind: "amended", start: NOON + 60 * SECOND, end: NOON + 120 * SECOND });
  expect(describeTransition(fired, null)).toBe("Firing, from 2024-07-01 12:00:00 UTC, open");
  expect(describeTransition(later, fired)).toBe(
    "Amended: moved its begin from 2024-07-01 12:00:00 UTC to 2024-07-01 12:01:00 UTC",
  );
  expect(describeTransition(shorter, later)).toBe(
    "Amended: moved its end from open to 2024-07-01 12:02:00 UTC",
  );
  expect(describeTransition(shorter, null)).toBe(
    "Amended, from 2024-07-01 12:01:00 UTC to 2024-07-01 12:02:00 UTC",
  );
  expect(describeTransition(change(4, { kind: "resolved", end: NOON + 5 * SECOND }), shorter)).toBe(
    "Resolved at 2024-07-01 12:00:05 UTC",
  );
  expect(describeTransition(change(1, { kind: "begun", state: "pending", start: null }), null)).toBe(
    "Pending, since ever, open",
  );
});

test("flapping is said of its key", () => {
  expect(describeTransition(change(6, { kind: "flapping" }), null)).toContain("start too often");
  expect(describeTransition(change(7, { kind: "settled" }), null)).toBe("Settled: its key flaps no more");
});

test("a retracted incident names the one that took over its span", () => {
  const gone = change(5, { kind: "retracted", state: "retracted" });
  expect(describeTransition(gone, null)).toBe("Retracted: its span is not true any more");
  expect(describeTransition({ ...gone, joined: 7 }, null)).toBe("Retracted: incident 7 now covers its span");
});

test("changes and what people did are in one order, and corrections are marked", () => {
  const note = (kind: Note["kind"], at: string, text = ""): Note => ({ kind, author: "ada", text, at });
  const entries = listHistory({
    history: [change(1, {}), change(90, { kind: "amended", end: NOON + SECOND })],
    notes: [
      note("acknowledged", "2024-07-01T12:00:30Z"),
      note("comment", "2024-07-01T12:02:00Z", "The fan is broken."),
      note("assigned", "2024-07-01T12:02:01Z", "bob"),
      note("assigned", "2024-07-01T12:02:02Z"),
    ],
  });
  expect(entries.map(({ author, words, text, isCorrection }) => [author, words, text, isCorrection])).toEqual(
    [
      [null, "Firing, from 2024-07-01 12:00:00 UTC, open", "", false],
      ["ada", "acknowledged it", "", false],
      [null, "Amended: moved its end from open to 2024-07-01 12:00:01 UTC", "", true],
      ["ada", "commented", "The fan is broken.", false],
      ["ada", "assigned it to bob", "", false],
      ["ada", "took the assignment back", "", false],
    ],
  );
});
