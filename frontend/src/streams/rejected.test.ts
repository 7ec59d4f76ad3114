import { expect, test } from "vitest";
import { describeRejected } from "./rejected";

const pushed = { place: "", alone: false };
const left = { place: "", alone: true };
const fed = { place: "byte 205 of app.jsonl", alone: true };
const AGAIN = "Fix a line, or edit the schema, and retry.";

test("what became of the rest of what came with a refused line is said as it was", () => {
  expect(describeRejected([pushed], true)).toBe(`The whole request was rejected. ${AGAIN}`);
  expect(describeRejected([fed, left], true)).toBe(
    `Only these events were rejected; the rest was accepted. ${AGAIN}`,
  );
  expect(describeRejected([fed, pushed], true)).toBe(
    `A rejected line rejects its whole request; events of a source or a sample are rejected one by one. ${AGAIN}`,
  );
});

test("who may not push events is not told to try again", () => {
  expect(describeRejected([pushed], false)).toBe("The whole request was rejected.");
});
