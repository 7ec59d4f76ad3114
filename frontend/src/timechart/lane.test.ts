import { describe, expect, test } from "vitest";
import type { RevisionMessage, SnapshotMessage, WirePoint } from "../core/api/types";
import {
  keepBounds,
  findRightEdge,
  EMPTY,
  findFirstChange,
  knownUntil,
  newestEventOf,
  applyMessage,
  toWire,
} from "./lane";

const SECOND = 1_000_000;
const snapshot = (points: WirePoint[], kind: SnapshotMessage["kind"] = "text"): SnapshotMessage => ({
  type: "snapshot",
  id: "s1",
  seq: 0,
  node: "n",
  key: "k",
  kind,
  points,
  version: 3,
  final_until: 10 * SECOND,
  as_of: 11 * SECOND,
  newest_event: null,
  stopped_at: null,
  behind: null,
});
const revision = (start: number | null, end: number | null, pieces: WirePoint[]): RevisionMessage => ({
  type: "revision",
  id: "s1",
  seq: 1,
  version: 4,
  known_at: 0,
  start,
  end,
  pieces,
  final_until: 12 * SECOND,
  as_of: 13 * SECOND,
  newest_event: null,
  stopped_at: null,
  behind: null,
});

describe("a lane", () => {
  const shown = applyMessage(
    EMPTY,
    snapshot([
      [null, null],
      [SECOND, "play"],
      [9 * SECOND, "ended"],
    ]),
    20 * SECOND,
  );

  test("shows a snapshot as it came, without any correction", () => {
    expect(toWire(shown)).toEqual([
      [null, null],
      [SECOND, "play"],
      [9 * SECOND, "ended"],
    ]);
    expect(shown).toMatchObject({
      kind: "text",
      seq: 0,
      version: 3,
      finalUntil: 10 * SECOND,
      corrections: [],
    });
  });

  test("a revision behind the last change point is a correction of just that stretch", () => {
    const late = applyMessage(shown, revision(3 * SECOND, 5 * SECOND, [[3 * SECOND, "buffer"]]), 21 * SECOND);
    expect(late.corrections).toEqual([{ start: 3 * SECOND, end: 5 * SECOND, at: 21 * SECOND, spans: 2 }]);
    expect(toWire(late)).toHaveLength(5);
    expect(
      applyMessage(late, revision(3 * SECOND, 5 * SECOND, [[3 * SECOND, "buffer"]]), 22 * SECOND).corrections,
    ).toHaveLength(1);
  });

  test("a stretch that only moves an edge adds no span", () => {
    const moved = applyMessage(shown, revision(4 * SECOND, 9 * SECOND, [[4 * SECOND, "ended"]]), 21 * SECOND);
    expect(toWire(moved)).toHaveLength(3);
    expect(moved.corrections).toMatchObject([{ start: 4 * SECOND, end: 9 * SECOND, spans: 0 }]);
  });

  test("what goes on is none", () => {
    expect(
      applyMessage(shown, revision(15 * SECOND, null, [[15 * SECOND, "play"]]), 21 * SECOND).corrections,
    ).toEqual([]);
  });

  test("a snapshot after a gap that tells the past anew is one", () => {
    const again = applyMessage(
      shown,
      snapshot([
        [null, null],
        [2 * SECOND, "play"],
        [9 * SECOND, "ended"],
      ]),
      21 * SECOND,
    );
    expect(again.corrections).toHaveLength(1);
  });

  test("progress moves the standing alone; an error is kept until the next word", () => {
    const on = applyMessage(
      shown,
      {
        type: "progress",
        id: "s1",
        final_until: 19 * SECOND,
        as_of: 20 * SECOND,
        newest_event: null,
        stopped_at: null,
        behind: null,
      },
      0,
    );
    expect(on).toMatchObject({ pieces: shown.pieces, finalUntil: 19 * SECOND });
    const refused = applyMessage(
      shown,
      { type: "error", id: "s1", code: "unknown_node", message: "No such node." },
      0,
    );
    expect(refused).toEqual({ ...EMPTY, error: "No such node." });
    expect(applyMessage(refused, snapshot([]), 0).error).toBeNull();
  });

  test("numbers keep their slopes on the wire", () => {
    const lane = applyMessage(
      EMPTY,
      snapshot(
        [
          [null, 0, 0],
          [SECOND, 0, 1],
        ],
        "number",
      ),
      0,
    );
    expect(toWire(lane)).toEqual([
      [null, 0, 0],
      [SECOND, 0, 1],
    ]);
  });
});

describe("the right edge", () => {
  const lane = applyMessage(
    EMPTY,
    snapshot([
      [null, null],
      [SECOND, "play"],
      [9 * SECOND, "ended"],
    ]),
    0,
  );

  test("is the clock while events are near it", () => {
    expect(findRightEdge([lane], 60 * SECOND)).toEqual({ now: 60 * SECOND, follows: "clock", stopped: null });
    expect(findRightEdge([], 60 * SECOND).follows).toBe("clock");
  });

  test("is the newest event where that is long ago, or ahead of the clock", () => {
    expect(findRightEdge([lane], 9_000 * SECOND)).toEqual({
      now: 10 * SECOND,
      follows: "events",
      stopped: null,
    });
    expect(findRightEdge([lane], 5 * SECOND)).toEqual({ now: 10 * SECOND, follows: "events", stopped: null });
  });

  test("is the clock where an event is ahead of it by less than what is allowed to be late", () => {
    const ahead = { ...lane, finalUntil: 30 * SECOND, newestEvent: 61 * SECOND };
    expect(findRightEdge([ahead], 60 * SECOND)).toEqual({
      now: 60 * SECOND,
      follows: "clock",
      stopped: null,
    });
    const future = { ...ahead, finalUntil: 70 * SECOND, newestEvent: 90 * SECOND };
    expect(findRightEdge([future], 60 * SECOND)).toMatchObject({ now: 90 * SECOND, follows: "events" });
  });

  test("is no earlier than the newest event, which is told as such, not as far as is final", () => {
    const progress = {
      type: "progress",
      id: "s1",
      final_until: 10 * SECOND,
      as_of: 20 * SECOND,
      newest_event: null,
      stopped_at: null,
      behind: null,
    } as const;
    const later = applyMessage(lane, { ...progress, newest_event: 40 * SECOND }, 0);
    expect(findRightEdge([lane, later], 9_000 * SECOND).now).toBe(40 * SECOND);
    expect(newestEventOf([lane, later, keepBounds(later, 0)])).toBe(40 * SECOND);
    expect(newestEventOf([lane, EMPTY])).toBeNull();
  });

  test("is where the last of all that stopped did, and the clock again once something goes on", () => {
    const at = (seconds: number | null) => ({
      ...lane,
      stoppedAt: seconds === null ? null : seconds * SECOND,
    });
    expect(findRightEdge([at(30), at(40)], 60 * SECOND)).toMatchObject({
      now: 40 * SECOND,
      stopped: 40 * SECOND,
    });
    expect(findRightEdge([at(30), at(null)], 60 * SECOND)).toMatchObject({ now: 60 * SECOND, stopped: null });
    const known = [at(30), at(null)].map((one) => knownUntil(one, 60 * SECOND));
    expect(known).toEqual([30 * SECOND, 60 * SECOND]);
    expect(knownUntil(at(3), 60 * SECOND)).toBe(10 * SECOND);
  });

  test("the first change of all lanes begins the window of all", () => {
    expect(findFirstChange([EMPTY, lane])).toBe(SECOND);
    expect(findFirstChange([])).toBeNull();
  });
});
