import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rebaseHistory, record, redo, start, undo } from "./history";

describe("history", () => {
  test("undoing everything gives the first value, redoing everything the last", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 30 }), (values) => {
        let history = start({ value: 0 });
        const first = history.present;
        for (const value of values) history = record(history, { value }, null, 0);
        const last = history.present;
        values.forEach(() => (history = undo(history)));
        expect(history.present).toBe(first);
        values.forEach(() => (history = redo(history)));
        expect(history.present).toBe(last);
      }),
    );
  });

  test("quick edits of one place are one step; slow ones, or of another place, are two", () => {
    const typed = record(record(start("a"), "ab", "name", 1000), "abc", "name", 1500);
    expect(undo(typed).present).toBe("a");
    expect(undo(record(typed, "abcd", "name", 9000)).present).toBe("abc");
    expect(undo(record(typed, "x", "field", 1600)).present).toBe("abc");
  });

  test("a new edit forgets what was undone", () => {
    const back = undo(record(start("a"), "b", null, 0));
    expect(redo(record(back, "c", null, 0)).present).toBe("c");
  });

  test("at either end nothing happens", () => {
    const history = start("a");
    expect(undo(history)).toBe(history);
    expect(redo(history)).toBe(history);
    expect(record(history, "a", null, 0)).toBe(history);
  });
});

describe("rebase", () => {
  test("what others did is in every state, and is undone with none of one's own steps", () => {
    const mine = [{ mine: 0 }, { mine: 1 }, { mine: 2 }];
    let history = start<{ mine: number; theirs?: boolean }>({ mine: 0 });
    for (const value of mine.slice(1)) history = record(history, value, null, 0);
    history = undo(history);
    history = rebaseHistory(history, { mine: 1, theirs: true }, (state) => ({ ...state, theirs: true }));
    expect(undo(history).present).toEqual({ mine: 0, theirs: true });
    expect(redo(history).present).toEqual({ mine: 2, theirs: true });
    expect(undo(undo(history)).present).toEqual({ mine: 0, theirs: true });
  });
});
