import { describe, expect, it, test } from "vitest";
import { ApiError } from "../api/client";
import { addressOf, formatCounts, groupsOf, lessOf, listAddress, type SearchResult } from "./results";
import { firstOf, flattenSections, moved, sectionsOf } from "./options";
import { describeOtherError, wrongOf } from "./problems";
import { proposalsAt } from "./proposals";
import { onSlash, useSearch } from "./store";

const thing = (kind: SearchResult["kind"], id: string, name = id): SearchResult => ({
  kind,
  id,
  name,
  state: kind === "plan" ? "running" : "",
  words: "w",
  owner: "ada",
  owner_kind: "person",
});

const ANSWER = {
  results: [thing("stream", "player"), thing("plan", "3", "Cards"), thing("plan", "4", "Cards too")],
  more: ["plan" as const],
};

describe("what was found", () => {
  const groups = groupsOf(ANSWER, "card owner:me");

  it("stands by kind, with the whole list where there is more", () => {
    expect(groups.map(({ title, found, all }) => [title, found.length, all])).toEqual([
      ["Plans", 2, "/?q=card+owner%3Ame"],
      ["Streams", 1, null],
    ]);
    expect(formatCounts(groups)).toBe("more than 2 plans, 1 stream");
    expect(formatCounts([])).toBe("No results");
  });

  it("leads to the page of each", () => {
    expect([thing("node", "ab"), thing("stream", "s"), thing("plan", "3")].map(addressOf)).toEqual([
      "/nodes/ab/",
      "/streams/s/",
      "/plans/3/",
    ]);
    expect(listAddress("/nodes/", " ")).toBe("/nodes/");
  });

  it("is chosen from in one round of arrows, around the ends", () => {
    const options = flattenSections(
      sectionsOf({ text: "o", proposals: proposalsAt("o", 1, ["plan"], []), groups }),
    );
    expect(options.map(({ id }) => id)).toEqual([
      "say owner:",
      "say op:",
      "plan 3",
      "plan 4",
      "all plan",
      "stream player",
    ]);
    expect([
      moved(options, null, -1),
      moved(options, "stream player", 1),
      moved(options, "plan 3", -1),
    ]).toEqual(["stream player", "say owner:", "say op:"]);
    expect([firstOf(options, false), firstOf(options, true), firstOf([], true)]).toEqual([
      "plan 3",
      "say owner:",
      null,
    ]);
  });

  it("is nothing: fewer words are tried", () => {
    expect(lessOf("card is:failing")).toEqual([
      { text: "card", word: "is:failing" },
      { text: "is:failing", word: "card" },
    ]);
    expect(lessOf("card")).toEqual([]);
    expect(
      flattenSections(sectionsOf({ text: "a b", proposals: [], groups: [] })).map(({ title }) => title),
    ).toEqual(["Without b", "Without a"]);
  });
});

describe("what is wrong", () => {
  const problem = {
    message: "No.",
    hint: "Do.",
    code: "c",
    node: null,
    port: null,
    severity: "error" as const,
  };
  const refused = (column: number) =>
    new ApiError(400, "c", "No.", [{ ...problem, field: "q", column, line: null }]);

  it("is marked at its place, counted in signs", () => {
    expect(wrongOf("😀 op:x b", refused(3))).toEqual([
      { before: "😀 ", wrong: "op:x", after: " b", message: "No.", hint: "Do." },
    ]);
    expect(describeOtherError("op:x", refused(1))).toBeNull();
  });

  it("is told in words where it has no place", () => {
    const away = new ApiError(0, "unreachable", "The server cannot be reached.");
    expect(wrongOf("a", away)).toBeNull();
    expect(describeOtherError("a", away)).toBe("The server cannot be reached.");
  });
});

test("a slash opens the search where nobody types, and nothing is open", () => {
  const pressed = {
    key: "/",
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    defaultPrevented: false,
  };
  let kept = 0;
  const press = (more: object, dialog = false): boolean => {
    useSearch.setState({ open: false });
    onSlash({ ...pressed, preventDefault: () => (kept += 1), ...more }, dialog);
    return useSearch.getState().open;
  };
  expect([
    press({}),
    press({ key: "a" }),
    press({ ctrlKey: true }),
    press({ defaultPrevented: true }),
  ]).toEqual([true, false, false, false]);
  expect(press({}, true)).toBe(false);
  expect(kept).toBe(1);
});
