import { expect, test } from "vitest";
import { describeEndedTokens } from "./endedTokens";

test.each([
  [1, "A token of ada ended with the old password. Make another one for the program that used it."],
  [3, "3 tokens of ada ended with the old password. Make others for the programs that used them."],
])("%i tokens", (count, words) => {
  expect(describeEndedTokens(count, "ada")).toBe(words);
});
