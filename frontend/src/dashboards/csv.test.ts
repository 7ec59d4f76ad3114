import { expect, test } from "vitest";
import { formatCsv } from "./csv";

const SECOND = 1_000_000;
const NOON = 1_719_835_200 * SECOND;
const window = { start: NOON, end: NOON + 60 * SECOND };
const row = (
  key: string,
  pieces: readonly { t: number | null; value: string | number | null; slope: number }[],
) => ({
  key,
  birth: NOON - 100 * SECOND,
  pieces,
  leftOut: [],
});

test("each stretch of a key is a row, cut to the window, with what it says at its end", () => {
  const text = formatCsv(
    [
      row("s1", [
        { t: null, value: null, slope: 0 },
        { t: NOON - 5 * SECOND, value: "play", slope: 0 },
        { t: NOON + 10 * SECOND, value: "buffer", slope: 0 },
      ]),
      row("s2", [{ t: NOON + 20 * SECOND, value: 3, slope: 0.5 }]),
    ],
    window,
  );
  expect(text.split("\r\n")).toEqual([
    "key,from,to,value,value_at_end,changes_left_out",
    "s1,2024-07-01T12:00:00.000Z,2024-07-01T12:00:10.000Z,play,play,",
    "s1,2024-07-01T12:00:10.000Z,2024-07-01T12:01:00.000Z,buffer,buffer,",
    "s2,2024-07-01T12:00:20.000Z,2024-07-01T12:01:00.000Z,3,23,",
    "",
  ]);
});

test("a key whose pieces all begin within the window has all of them", () => {
  const pieces = [
    { t: NOON + 10 * SECOND, value: "play", slope: 0 },
    { t: NOON + 20 * SECOND, value: "buffer", slope: 0 },
  ];
  const [, ...lines] = formatCsv([row("s1", pieces)], window)
    .trim()
    .split("\r\n");
  expect(lines.map((line) => line.split(",")[3])).toEqual(["play", "buffer"]);
});

test("what is left out is told, and nothing of it is a value", () => {
  const leftOut = [{ from: NOON + 10 * SECOND, to: NOON + 20 * SECOND, changes: 812 }];
  const pieces = [
    { t: NOON, value: 1, slope: 0 },
    { t: NOON + 10 * SECOND, value: 2, slope: 0 },
    { t: NOON + 20 * SECOND, value: 3, slope: 0 },
  ];
  const [, ...lines] = formatCsv([{ ...row("s1", pieces), leftOut }], window)
    .trim()
    .split("\r\n");
  expect(lines.map((line) => line.split(",").slice(3))).toEqual([
    ["1", "1", ""],
    ["", "", "812"],
    ["3", "3", ""],
  ]);
});

test("names keep their commas and quotes, and no cell is a formula", () => {
  const text = formatCsv([row('a,"b"', [{ t: NOON, value: "=1+1", slope: 0 }])], window);
  expect(text).toContain(`"a,""b""",2024`);
  expect(text).toContain(",'=1+1,'=1+1,");
});
