import { expect, test } from "vitest";
import { roundUp, rateNow, listRateSteps } from "./rates";

const tick = (at: number, events: number) => ({ at, events, late: 0, too_late: 0, refused: 0 });

test("every step of the span has a tick, those without events as well", () => {
  const rateSteps = listRateSteps({ now: 1_000_007, step: 10, series: [tick(999_990, 5)] }, 60);
  expect(rateSteps.map(({ at, events }) => [at, events])).toEqual([
    [999_950, 0],
    [999_960, 0],
    [999_970, 0],
    [999_980, 0],
    [999_990, 5],
    [1_000_000, 0],
  ]);
});

test("the rate is that of the last whole minute", () => {
  const series = [tick(930, 6000), tick(940, 300), tick(990, 300), tick(1000, 9999)];
  expect(rateNow({ now: 1003, step: 10, series })).toBe(10);
});

test("the axis ends at a round number", () => {
  expect([0, 0.3, 1, 7, 12, 60, 100, 101].map(roundUp)).toEqual([1, 0.5, 1, 10, 20, 100, 100, 200]);
});
