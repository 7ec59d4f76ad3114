import { expect, test } from "vitest";
import { lanesAround } from "./lanesAround";

const MINUTE = 60_000_000;
const NOON = 1_719_835_200_000_000;

test("lanes are seen with a quarter more on both sides, and no less than five minutes", () => {
  const at = (start: number | null, end: number | null) =>
    new URL(lanesAround(3, { key: "a b", start, end }, NOON + 10 * MINUTE), "http://x").searchParams;
  const long = at(NOON - 40 * MINUTE, NOON);
  expect([long.get("key"), long.get("from"), long.get("to")]).toEqual([
    "a b",
    "2024-07-01T11:10:00Z",
    "2024-07-01T12:10:00Z",
  ]);
  const open = at(NOON, null);
  expect([open.get("from"), open.get("to")]).toEqual(["2024-07-01T11:55:00Z", "2024-07-01T12:15:00Z"]);
});
