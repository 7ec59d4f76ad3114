import { expect, test } from "vitest";
import { refusedWords } from "./aside";

const pushed = { place: "", alone: false };
const left = { place: "", alone: true };
const fed = { place: "byte 205 of app.jsonl", alone: true };
const AGAIN = "Mend a line, or change the declaration, and try again.";

test("what became of the rest of what came with a refused line is said as it was", () => {
  expect(refusedWords([pushed], true)).toBe(`Each was refused with all of its request. ${AGAIN}`);
  expect(refusedWords([fed, left], true)).toBe(
    `Each was left out alone: the rest of what came with it was taken. ${AGAIN}`,
  );
  expect(refusedWords([fed, pushed], true)).toBe(
    "A line of a request was refused with all of it; what came by a source, or in a sample that was taken without it, " +
      `was left out alone. ${AGAIN}`,
  );
});

test("who may not push events is not told to try again", () => {
  expect(refusedWords([pushed], false)).toBe("Each was refused with all of its request.");
});
