import { describe, expect, test } from "vitest";
import type { Source } from "../core/api/dashboards";
import fc from "fast-check";
import { applyRevision, normalise } from "../timechart/pieces";
import { edgeOf, knownUntil } from "./clock";
import { applyRevisionNearEnd, closely, cutBefore, applyMessage, needsLook, SILENT } from "./feeds";
import { buildMapping, rowsOf } from "./frame";
import { searchOf, viewOf } from "./link";
import { liveWindow, neededFrom } from "./time";
import { spellChange, spellNumber, findChartProblem } from "./words";

const S = 1_000_000;
const NOON = 1_719_835_200 * S;
const NOTHING = { version: null, keys: null, groups: null, range: null, fixed: null, cursor: null };

describe("a link", () => {
  test.each([
    { ...NOTHING },
    { ...NOTHING, version: 3, keys: ["s 1&2"], range: "1h" as const },
    { ...NOTHING, fixed: { start: NOON, end: NOON + 90 * S }, cursor: NOON + 1_500_000 },
    { ...NOTHING, keys: ["ä/*", "b"], groups: ["CDN 1"], fixed: { start: NOON + 1, end: NOON + 2 } },
  ])("opens the same view for others: %j", (view) => {
    expect(viewOf(searchOf(view))).toEqual(view);
  });

  test.each([
    "?version=x&range=7x&cursor=soon",
    "?from=2024-07-01T12:00:00Z",
    "?from=9&to=3",
    "?version=-1",
    "?%",
  ])("with nonsense in it shows the dashboard as it is: %s", (search) => {
    expect(viewOf(search)).toEqual(NOTHING);
  });

  test("says times so that they can be read", () => {
    expect(searchOf({ ...NOTHING, cursor: NOON })).toBe("?cursor=2024-07-01T12:00:00Z");
  });
});

describe("the window", () => {
  test("ends a little after now, and moves in steps", () => {
    const window = liveWindow(300 * S, NOON);
    expect(window.end).toBeGreaterThan(NOON);
    expect(window.end - NOON).toBeLessThan(17 * S);
    expect(liveWindow(300 * S, NOON - 1)).toEqual(window);
    expect(liveWindow(300 * S, NOON + 11 * S)).not.toEqual(window);
  });

  test("needs what lies before it, and not something else in every step", () => {
    const from = neededFrom(liveWindow(300 * S, NOON));
    expect(from).toBeLessThan(NOON - 300 * S);
    const later = Array.from({ length: 60 }, (_, i) => neededFrom(liveWindow(300 * S, NOON + i * S)));
    expect(new Set(later).size).toBeLessThan(4);
  });

  test("has round values, and no more than there is room for", () => {
    expect(rowsOf([0, 100], 5)).toEqual([0, 20, 40, 60, 80, 100]);
  });

  test("is mapped to the page and back", () => {
    const at = buildMapping({ width: 400, height: 200, type: 11 }, { start: 0, end: 100 }, [0, 10]);
    expect(at.t(at.x(37))).toBeCloseTo(37);
    expect(at.y(0)).toBe(at.bottom);
    expect(at.y(10)).toBe(at.top);
  });
});

describe("a feed", () => {
  const snapshot = {
    type: "snapshot" as const,
    id: "a",
    seq: 0,
    node: "n",
    key: "k",
    kind: "number" as const,
    points: [[null, 0, 0] as [null, number, number]],
    version: 1,
    final_until: NOON,
    as_of: NOON,
    newest_event: null,
    stopped_at: null,
    behind: null,
  };

  test("says since when it is different", () => {
    const [feed, since] = applyMessage(SILENT, snapshot);
    expect(since).toBe(-Infinity);
    const revision = { ...snapshot, type: "revision" as const, known_at: 1, start: NOON, end: null };
    const [after, again] = applyMessage(feed, { ...revision, pieces: [[NOON, 5, 0]] });
    expect([again, after.pieces.length]).toEqual([NOON, 2]);
    expect(
      applyMessage(after, {
        type: "progress",
        id: "a",
        final_until: 7,
        as_of: 8,
        newest_event: null,
        stopped_at: null,
        behind: null,
      })[1],
    ).toBe(Infinity);
  });

  test("knows what is left out, and forgets it where a revision tells all", () => {
    const left = (from: number, to: number) => ({ from, to, changes: 9, low: 0, high: 1 });
    const [feed] = applyMessage(SILENT, { ...snapshot, left_out: [left(0, 10), left(20, 30)] });
    const said = { ...snapshot, type: "revision" as const, known_at: 1, start: 15, end: 40, seq: 1 };
    const [after] = applyMessage(feed, { ...said, pieces: [[15, 5, 0]], left_out: [left(16, 20)] });
    expect(after.leftOut.map(({ from }) => from)).toEqual([0, 16]);
    expect(applyMessage(SILENT, snapshot)[0].leftOut).toEqual([]);
  });

  test("asks for more where something is left out of what is seen, and a closer or later look would tell it", () => {
    const leftOut = [{ from: 100, to: 110, changes: 9 }];
    expect(closely(100, 200)).toEqual([100, 250]);
    expect(needsLook(leftOut, { start: 90, end: 200 }, [90, 250])).toBe(false);
    expect(needsLook(leftOut, { start: 100, end: 120 }, [90, 250])).toBe(true);
    expect(needsLook(leftOut, { start: 90, end: 260 }, [90, 250])).toBe(true);
    expect(needsLook(leftOut, { start: 200, end: 220 }, [90, 250])).toBe(false);
  });

  test("is revised near its end as it is revised as a whole", () => {
    const point = fc.record({ t: fc.integer({ min: 0, max: 30 }), value: fc.integer({ min: 0, max: 2 }) });
    const line = fc
      .array(point, { maxLength: 12 })
      .map((points) => [...new Map(points.map((one) => [one.t, { ...one, slope: 0 }])).values()])
      .map((points) => points.sort((a, b) => a.t - b.t));
    fc.assert(
      fc.property(line, line, fc.integer({ min: 0, max: 30 }), fc.nat(9), (before, after, start, long) => {
        const held = normalise([{ t: null, value: 0, slope: 0 }, ...before]);
        const said = [{ t: start, value: 1, slope: 0 }, ...after.filter((one) => one.t > start)];
        const revision = { start, end: long === 0 ? null : start + long, pieces: normalise(said) };
        expect(applyRevisionNearEnd(held, revision)).toEqual(applyRevision(held, revision));
      }),
    );
  });

  test("forgets what nobody sees, of long ones alone", () => {
    const pieces = Array.from({ length: 3000 }, (_, i) => ({ t: i * S, value: i, slope: 0 }));
    expect(cutBefore(pieces, 2900 * S)[0]?.t).toBe(2900 * S);
    expect(cutBefore(pieces, 10 * S)).toBe(pieces);
    expect(cutBefore(pieces.slice(0, 100), 90 * S).length).toBe(100);
  });

  test("far behind the clock has its own now", () => {
    const far = { ...SILENT, pieces: [{ t: NOON, value: 1, slope: 0 }], finalUntil: NOON - 30 * S };
    expect(edgeOf([far], NOON + 3600 * S)).toEqual({ now: NOON, follows: "events", stopped: null });
    expect(edgeOf([far], NOON + 60 * S)).toEqual({ now: NOON + 60 * S, follows: "clock", stopped: null });
    const stopped = { ...far, heard: true, stoppedAt: NOON + 20 * S };
    expect(edgeOf([stopped], NOON + 60 * S)).toMatchObject({ now: NOON + 20 * S, stopped: NOON + 20 * S });
    expect(edgeOf([stopped, { ...far, heard: true }], NOON + 60 * S)).toMatchObject({ now: NOON + 60 * S });
    expect(knownUntil([{ state: stopped }], NOON + 60 * S)).toBe(NOON + 20 * S);
    expect(edgeOf([], NOON).now).toBe(NOON);
    const ahead = { ...far, newestEvent: NOON + 1 * S };
    expect(edgeOf([ahead], NOON)).toEqual({ now: NOON, follows: "clock", stopped: null });
  });
});

describe("words", () => {
  test("numbers have the digits that count, and keep them while they climb", () => {
    expect([1234.5, 123.45, 12.345, 0.01234].map((one) => spellNumber(one))).toEqual([
      "1,235",
      "123.5",
      "12.35",
      "0.0123",
    ]);
    expect([-5, -0.00001].map((one) => spellNumber(one))).toEqual(["−5", "0"]);
    expect(spellNumber(12, true)).toBe("12.00");
    expect(spellNumber(120, true)).toBe("120.0");
  });

  test("changes have a sign", () => {
    expect([spellChange(5, 3), spellChange(3, 5), spellChange(3, 3), spellChange(null, 3)]).toEqual([
      "+2",
      "−2",
      "±0",
      null,
    ]);
  });

  test("every state but running says what to do", () => {
    const source: Source = {
      plan: 1,
      node: "cirr",
      plan_name: "P",
      state: "running",
      digest: "d",
      kind: "number",
      operator: "not",
      observed: "running",
      words: "",
      grouped: false,
      error: null,
      display: {},
      stopped_at: null,
      now: null,
    };
    expect(findChartProblem(source)).toBeNull();
    expect(findChartProblem({ ...source, observed: "failed", error: "boom" })?.hint).toBe("boom");
    for (const state of ["stopped", "not_run", "gone", "deleted"] as const) {
      const trouble = findChartProblem({ ...source, state, now: "other" });
      expect(trouble?.title).not.toBe("");
      expect(trouble?.hint).not.toBe("");
    }
  });
});
