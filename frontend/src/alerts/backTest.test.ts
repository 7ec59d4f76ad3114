import { describe, expect, it } from "vitest";
import {
  depthOf,
  limitAt,
  messagesInWords,
  placeIn,
  scaleOf,
  stepOf,
  totalsInWords,
  type BackTest,
} from "./backTest";

const totals = {
  incidents: 3,
  keys: 2,
  firing: 1,
  resolved: 2,
  retracted: 1,
  amended: 0,
  duration: 90_000_000,
  longest: 60_000_000,
  flapping: 0,
  messages: { early: 4, final: 2 },
};
const test = (changes: Partial<typeof totals>): BackTest =>
  ({ totals: { ...totals, ...changes } }) as BackTest;

describe("a back-test in words", () => {
  it("says how many, how long, and what late events changed", () => {
    expect(totalsInWords(test({}))).toBe(
      "3 incidents of 2 keys, 1 min 30 s in all, 1 retracted because of late events.",
    );
    expect(totalsInWords(test({ keys: 0 }))).toBe("It would not have fired.");
    expect(totalsInWords(test({ retracted: 0, duration: 0 }))).toBe("3 incidents of 2 keys.");
    expect(messagesInWords(test({}))).toBe("Messages: 4 early, 2 final.");
    expect(messagesInWords(test({ flapping: 2 }))).toBe("Messages: 4 early, 2 final; keys flapped 2 times.");
  });
});

describe("the lane with the limit", () => {
  const scale = scaleOf([[0, 10, 20]], [90]);
  it("shows values and limits", () => {
    expect(scale.low).toBeLessThan(10);
    expect(scale.high).toBeGreaterThan(90);
  });
  it("gives the limit of a place, and the place of a limit", () => {
    expect(depthOf(limitAt(0.3, scale), scale)).toBeCloseTo(0.3, 2);
    expect(limitAt(-1, scale)).toBeCloseTo(scale.high, 0);
  });
  it("moves by the keyboard in round steps", () => {
    expect(stepOf({ low: 0, high: 100 }, false)).toBe(1);
    expect(stepOf({ low: 0, high: 100 }, true)).toBe(10);
  });
  it("does not divide by nothing", () => expect(scaleOf([[0, 5, 5]], [5]).high).toBeGreaterThan(5));
});

it("a span that is open reaches to the end", () =>
  expect(placeIn({ start: 50, end: null }, { start: 0, end: 100 })).toEqual({
    left: "50%",
    width: "max(3px, 50%)",
  }));
