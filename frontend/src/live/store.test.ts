import { beforeEach, describe, expect, test } from "vitest";
import type { TimelineMessage } from "../core/socket/connection";
import { findRightEdge } from "../timechart/lane";
import { beginLane, endLane, selectWindowLanes, receiveMessage, useLanes, readWallClock } from "./store";
import { computeWholeWindow } from "../timechart/view";

const DAY = 86_400_000_000;
const asked = (name: string, pinned = "ann") => ({ name, digest: `digest of ${name}`, pinned });
const [first, second] = [asked("first"), asked("second")];
const all = [first, second];

const snapshot = (...times: number[]): TimelineMessage => ({
  type: "snapshot",
  id: "1",
  node: "d",
  key: "ann",
  kind: "text",
  points: [[null, null], ...times.map((t): [number, string] => [t, `at ${t}`])],
  seq: 1,
  version: 1,
  final_until: null,
  as_of: 0,
  newest_event: null,
  stopped_at: null,
  behind: null,
});

beforeEach(() => useLanes.setState({ lanes: {}, past: {} }));

test("what is renamed is shown on, another key and what comes later begin empty", async () => {
  beginLane(first);
  receiveMessage("first", snapshot(readWallClock()));
  const { pieces } = useLanes.getState().lanes.first ?? { pieces: [] };
  endLane(first);
  beginLane({ ...first, name: "renamed" });
  beginLane({ ...first, name: "other", pinned: "zoe" });
  const { renamed, other } = useLanes.getState().lanes;
  expect(renamed?.pieces).toBe(pieces);
  expect(other?.pieces).toEqual([]);
  endLane({ ...first, name: "renamed" });
  await new Promise((done) => setTimeout(done));
  beginLane(first);
  expect(useLanes.getState().lanes.first?.pieces).toEqual([]);
});

describe("the window is reckoned from lanes that went out of sight, too", () => {
  const yesterday = readWallClock() - DAY;
  const follow = (one: typeof first, ...times: number[]) => {
    beginLane(one);
    receiveMessage(one.name, snapshot(...times));
  };
  const reckon = (some = all) => selectWindowLanes(useLanes.getState(), some);

  test("so that the edge of a replayed stream stays where it was while one scrolls", () => {
    follow(first, yesterday - DAY, yesterday - 1000, yesterday);
    const before = [findRightEdge(reckon(), readWallClock()), computeWholeWindow(reckon(), yesterday)];
    expect(before[0]).toEqual({ now: yesterday, follows: "events", stopped: null });
    endLane(first);
    beginLane(second);
    expect([findRightEdge(reckon(), readWallClock()), computeWholeWindow(reckon(), yesterday)]).toEqual(
      before,
    );
    beginLane(first);
    expect([findRightEdge(reckon(), readWallClock()), computeWholeWindow(reckon(), yesterday)]).toEqual(
      before,
    );
  });

  test("and not from what was heard of another key or another plan", () => {
    follow(first, yesterday);
    endLane(first);
    expect(reckon([asked("first", "zoe")])).toEqual([]);
    expect(reckon([{ ...first, digest: "another" }])).toEqual([]);
    expect(reckon([first])).toHaveLength(1);
  });

  test("and from what is heard now as soon as a lane is back", () => {
    follow(first, yesterday);
    endLane(first);
    follow(first, yesterday - DAY);
    expect(findRightEdge(reckon(), readWallClock()).now).toBe(yesterday - DAY);
  });

  test("and a lane that was never heard again is not forgotten", () => {
    follow(first, yesterday);
    endLane(first);
    beginLane(first);
    endLane(first);
    expect(findRightEdge(reckon(), readWallClock()).now).toBe(yesterday);
  });
});
