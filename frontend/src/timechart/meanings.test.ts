import { expect, test } from "vitest";
import { meaningOf } from "./meanings";

test.each([
  ["ok", "good"],
  ["SUCCEEDED", "good"],
  ["failed", "bad"],
  ["PaymentFailed", "bad"],
  ["ERR-TIMEOUT", "bad"],
  ["running_with_errors", "bad"],
  ["running (error)", "bad"],
  ["degraded", "warning"],
  ["running", "running"],
  ["Stopped", "stopped"],
  ["stopped ok", "stopped"],
  ["yes", "running"],
  ["off", "stopped"],
] as const)("%s means %s", (value, meaning) => {
  expect(meaningOf(value)).toBe(meaning);
});

test.each(["CDN1", "", "book", "okra", "not running", "no errors", "404", "we failed to see that it was up"])(
  "%s means nothing by its words",
  (value) => {
    expect(meaningOf(value)).toBeNull();
  },
);
