import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "../../../core/api/client";
import { buildInitialState, get, set as setStudio } from "../../../plans/editor/store";
import { EMPTY } from "../../../timechart/lane";
import { selectShownLanes, useLanes } from "../../../live/store";
import { calls } from "../../../core/api/sampleCalls";
import type { Evaluated } from "../../../core/api/samples";
import { compute, drop, warnOfRunning } from "./actions";
import { previewOf } from "./preview";

const answer = (keys: string[], groups: string[] = []): Evaluated =>
  ({
    answers: [
      {
        node: "ratio",
        key: "s1",
        kind: "ratio",
        points: [{ t: null, num: { value: 1, slope: 2 }, den: { value: 4, slope: 0 } }],
      },
      { node: "state", key: "s1", kind: "text", points: [{ t: 5, value: "play" }] },
    ],
    keys,
    key_count: keys.length,
    groups,
    group_count: groups.length,
    events: { player: 7 },
    warnings: [],
    left_out: [],
  }) as unknown as Evaluated;

afterEach(() => {
  vi.restoreAllMocks();
  setStudio(buildInitialState());
  useLanes.setState({ lanes: {}, preview: null, key: "", group: "" });
});

test("answers become lanes that are marked; a ratio is drawn as a number", () => {
  const { lanes, events } = previewOf(answer(["s1"]));
  expect([lanes["ratio"]?.kind, lanes["state"]?.kind]).toEqual(["number", "text"]);
  expect(lanes["state"]?.pieces).toEqual([{ t: 5, value: "play", slope: 0 }]);
  expect(Object.values(lanes).every(({ preview }) => preview)).toBe(true);
  expect(events).toEqual({ player: 7 });
});

test("a preview is shown until something is heard of the node itself", () => {
  const preview = previewOf(answer(["s1"]));
  const heard = { ...EMPTY, finalUntil: 9 };
  const shownLanes = selectShownLanes({ lanes: { state: EMPTY, ratio: heard, other: EMPTY }, preview });
  expect([shownLanes["state"]?.preview, shownLanes["ratio"], shownLanes["other"]]).toEqual([
    true,
    heard,
    EMPTY,
  ]);
  expect(selectShownLanes({ lanes: { state: EMPTY }, preview: null })["state"]).toBe(EMPTY);
});

describe("what is pinned", () => {
  const ask = (evaluated: Evaluated) => vi.spyOn(calls, "evaluate").mockResolvedValue(evaluated);

  test("is asked for, and the group of everybody besides", async () => {
    const asked = ask(answer(["s1", "s2"], ["*", "CDN1"]));
    useLanes.setState({ key: "s1", group: "CDN1" });
    await compute(true);
    expect(asked.mock.calls[0]?.[0]).toMatchObject({ keys: ["s1", "CDN1", "*"], partly: true });
    expect(useLanes.getState().preview?.keys).toEqual(["s1", "s2"]);
  });

  test("stays where other nodes have it, though the newest events do not", async () => {
    ask(answer(["s1"]));
    useLanes.setState({ key: "s9" });
    await compute(false);
    expect(useLanes.getState().key).toBe("s9");
    expect(useLanes.getState().preview).not.toBeNull();
  });
});

test("a server that is busy is asked again; one that refuses the plan ends the preview", async () => {
  useLanes.setState({ key: "s1", preview: previewOf(answer(["s1"])) });
  const refused = (status: number) => new ApiError(status, "x", "no");
  const asked = vi.spyOn(calls, "evaluate").mockRejectedValueOnce(refused(503));
  expect(await compute(false)).toBe(true);
  expect(useLanes.getState().preview).not.toBeNull();
  asked.mockRejectedValueOnce(refused(422));
  expect(await compute(false)).toBe(false);
  expect(useLanes.getState().preview).toBeNull();
});

test("an answer that comes after the plan was left is dropped", async () => {
  let settle: (evaluated: Evaluated) => void = () => undefined;
  vi.spyOn(calls, "evaluate").mockReturnValue(new Promise((done) => (settle = done)));
  useLanes.setState({ key: "s1" });
  const computing = compute(false);
  drop();
  settle(answer(["s1"]));
  await computing;
  expect(useLanes.getState().preview).toBeNull();
});

test("what nodes that run miss is among the problems; what the newest events alone do not meet is not", async () => {
  const warning = (code: string) => ({ code, stream: "player", message: code }) as Evaluated["warnings"][0];
  const told = { ...answer([]), warnings: ["mistyped", "unmet_condition", "undefined_value"].map(warning) };
  const asked = vi.spyOn(calls, "evaluate").mockResolvedValue(told);
  expect(await warnOfRunning()).toBe(false);
  expect(asked.mock.calls[0]?.[0]).toMatchObject({ most: 0, newest: 2_000 });
  const codes = () => get().sampleWarnings?.problems.map(({ code }) => code);
  expect(codes()).toEqual(["mistyped", "undefined_value"]);
  await warnOfRunning();
  expect(asked).toHaveBeenCalledTimes(1);
});
