import { expect, test } from "vitest";
import { describeMatches, selectDefaultChoice, sectionsFor, type Choices } from "./choices";
import { flattenSections, type Choice } from "./options";
import { proposalsAt } from "./proposals";

const choice = (id: string): Choice => ({ id, title: `Plan ${id}`, note: "runs", owner: "ada", tone: null });
const found = (...ids: string[]): Choices => ({ choices: ids.map(choice), more: false });
const offered = { what: "plans", text: "o", proposals: [], beside: [] };

test("what was found goes before what helps to find it", () => {
  const proposals = proposalsAt("o", 1, ["plan"], []);
  const sections = sectionsFor({ ...offered, proposals, found: found("1", "2"), beside: [choice("new")] });
  expect(sections.map(({ title }) => title)).toEqual(["Plans", "New", "Narrow it down"]);
  const options = flattenSections(sections);
  expect(options.map(({ id }) => id).slice(0, 3)).toEqual(["pick 1", "pick 2", "pick new"]);
  expect([
    selectDefaultChoice(options, false),
    selectDefaultChoice(options, true),
    selectDefaultChoice([], false),
  ]).toEqual(["pick 1", "say owner:", null]);
});

test("where nothing was found, fewer words are offered, and Enter takes none of them unasked", () => {
  const options = flattenSections(sectionsFor({ ...offered, text: "card is:failing", found: found() }));
  expect(options.map(({ title }) => title)).toEqual(["Without is:failing", "Without card"]);
  expect(selectDefaultChoice(options, false)).toBeNull();
});

test("while nothing is known nothing is offered", () => {
  expect(sectionsFor({ ...offered, text: "a b", found: null })).toEqual([]);
});

test.each([
  ["", null, "Searching."],
  ["", found(), "No plans yet."],
  ["x", found(), "No plans match “x”."],
  ["x", found("1"), "1 plan"],
  ["", { ...found("1", "2"), more: true }, "The first 2 plans; type to find others."],
])("it is said what was found", (text, choices, words) => {
  expect(describeMatches("plans", "", text, choices)).toBe(words);
});

test.each([
  ["", found(), "No dashboards that you may change."],
  ["x", found(), "No dashboards that you may change match “x”."],
  ["x", found("1"), "1 dashboard that you may change"],
  [
    "",
    { ...found("1", "2"), more: true },
    "The first 2 dashboards that you may change; type to find others.",
  ],
])("where only some are searched, nothing is said of the others", (text, choices, words) => {
  expect(describeMatches("dashboards", "that you may change", text, choices)).toBe(words);
});
