import { expect, test } from "vitest";
import { readTests } from "./tests";

const WHOLE = {
  export: 1,
  plan: {},
  samples: { "Some (3)": { player: [{ t: 1 }] } },
  tests: [{ name: "It stops", sample: "Some (3)", expected: [{ node: "calm", key: "a", spans: [] }] }],
};

test("tests are read with their samples", () => {
  expect(readTests(WHOLE)).toEqual({ tests: WHOLE.tests, samples: WHOLE.samples });
});

test.each([
  ["no export", { plan: {} }],
  ["an export without tests", { ...WHOLE, tests: [] }],
])("%s brings none", (_, value) => {
  expect(readTests(value)).toBeNull();
});

test.each([
  ["another version", { ...WHOLE, export: "2" }, "another version"],
  ["tests that are no list", { ...WHOLE, tests: {} }, "cannot be read"],
  ["a test without a name", { ...WHOLE, tests: [{ sample: "a", expected: [] }] }, "cannot be read"],
  ["a name that is a number", { ...WHOLE, tests: [{ ...WHOLE.tests[0], name: 4 }] }, "cannot be read"],
  ["nothing expected", { ...WHOLE, tests: [{ name: "a", sample: "Some (3)" }] }, "cannot be read"],
  ["a span of no node", { ...WHOLE, tests: [{ ...WHOLE.tests[0], expected: [{}] }] }, "cannot be read"],
  ["null for a test", { ...WHOLE, tests: [null] }, "cannot be read"],
  ["samples that are a list", { ...WHOLE, samples: [] }, "samples cannot be read"],
  ["a sample without lists", { ...WHOLE, samples: { "Some (3)": { player: 3 } } }, "samples cannot be read"],
  ["a sample that is missing", { ...WHOLE, samples: {} }, "“It stops” is missing"],
])("%s is told in words", (_, value, words) => {
  expect(readTests(value)).toContain(words);
});
