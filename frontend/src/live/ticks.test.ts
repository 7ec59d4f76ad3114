import { describe, expect, test } from "vitest";
import { countTicks, findNearestTick, classifyTicks, spellTick, buildStrokesPath } from "./ticks";

const S = 1_000_000;
const told = {
  events: [
    { t: 5 * S, late: 900 * S },
    { t: 40 * S, late: 60 * S },
    { t: 60 * S, late: 5 * S },
    { t: 80 * S, late: 0 },
  ],
  complete: true,
  allowed_lateness: 30 * S,
  retention: 600 * S,
};
const ticks = classifyTicks(told);

describe("events", () => {
  test("are in order, late behind what is allowed, or too late behind what is kept", () => {
    expect(ticks.map(({ sort }) => sort)).toEqual(["too late", "late", "in order", "in order"]);
  });

  test("are judged as they came, however old they have grown since", () => {
    const old = told.events.map(({ late }) => ({ t: -1000 * 86_400 * S, late }));
    expect(classifyTicks({ ...told, events: old }).map(({ sort }) => sort)).toEqual(
      ticks.map(({ sort }) => sort),
    );
  });

  test("of which it is not known how late they came are neither late nor in order", () => {
    const [one] = classifyTicks({ ...told, events: [{ t: 50 * S, late: null }] });
    expect(one?.sort).toBe("unknown");
    expect(one && spellTick(one)[1]).toBe("lateness not known yet");
    expect(one && countTicks([one], false)).toBe("newest 1 event");
    expect(one && buildStrokesPath([one], "unknown", { start: 0, end: 100 * S })).toBe("M500.00 8V20");
  });

  test("are strokes, those that were late taller ones", () => {
    const window = { start: 0, end: 100 * S };
    expect(buildStrokesPath(ticks, "in order", window)).toBe("M600.00 8V20M800.00 8V20");
    expect(buildStrokesPath(ticks, "late", window)).toBe("M400.00 0V20");
    expect(buildStrokesPath(ticks, "too late", window)).toBe("M50.00 0V20");
  });

  test("are counted in words, also where they are not all", () => {
    expect(countTicks(ticks, true)).toBe("4 events, 1 late, 1 too late");
    expect(countTicks(ticks.slice(3), false)).toBe("newest 1 event");
    expect(countTicks([], false)).toBe("Events took too long to load – retry");
    expect(countTicks([], true)).toBe("0 events");
  });

  test("are told at the cursor, the nearest of them, and none that is far away", () => {
    expect(findNearestTick(ticks, 58 * S, 3 * S)?.t).toBe(60 * S);
    expect(findNearestTick(ticks, 50 * S, 3 * S)).toBeNull();
    expect(findNearestTick([], 50 * S, 3 * S)).toBeNull();
  });

  test("say how they came", () => {
    expect(ticks.map((tick) => spellTick(tick)[1])).toEqual([
      "arrived 15 min after a later event: older than the retention",
      "arrived 1 min after a later event: late, and applied",
      "arrived 5 s after a later event, within the allowed lateness",
      "arrived in order",
    ]);
  });
});
