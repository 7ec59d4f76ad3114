import { expect, test } from "vitest";
import { suggestInCondition } from "./conditionHelp";
import { commonValues, isUnseen, formatShare, formatUnseen, unseenIn } from "./commonValues";

const values = [
  { value: "ok", share: 0.965 },
  { value: "failed", share: 0.03 },
  { value: "off", share: 0.005 },
];
const sample = {
  events: 2000,
  complete: true,
  fields: [
    { name: "state", share: 1, distinct: 3, values },
    { name: "user", share: 0.5, distinct: 1500, values: [{ value: "ann", share: 0.001 }] },
  ],
};
const valuesOf = (field: string) => commonValues(sample, field);

test("shares are as exact as they are rare", () => {
  expect([0.965, 0.03, 0.005, 0.0001].map(formatShare)).toEqual(["97 %", "3 %", "0.5 %", "under 0.1 %"]);
});

test("names that are hardly ever the same are no choice, and none of them is missed", () => {
  expect(commonValues(sample, "user")).toEqual([]);
  expect(isUnseen(sample, "user", "bob")).toBe(false);
  expect(isUnseen(null, "state", "bob")).toBe(false);
});

test("what a field is compared with is suggested with its share", () => {
  const suggestions = suggestInCondition('user == "ann" and state == "f', {}, false, valuesOf);
  expect(suggestions).toEqual({ from: 27, options: [{ label: '"failed"', kind: "value", detail: "3 %" }] });
  expect(suggestInCondition("state != ", {}, false, valuesOf)?.options.map(({ label }) => label)).toEqual([
    '"ok"',
    '"failed"',
    '"off"',
  ]);
  expect(suggestInCondition('state == "failed"', {}, false, valuesOf)).toBeNull();
  expect(suggestInCondition("user == ", {}, false, valuesOf)).toBeNull();
});

test("a value that no event has is said, with those that there are", () => {
  expect(unseenIn(sample, 'state == "ok" or `state` != "off"')).toBeNull();
  const unseen = unseenIn(sample, 'state == "failure" and user == "x"');
  expect(formatUnseen(unseen, sample)).toBe(
    'None of the newest 2,000 events has state "failure". They have "ok", "failed", "off".',
  );
});
