import { expect, test } from "vitest";
import { MEETING } from "../../core/graph/sample.testing";
import { callAt, extractCodeBefore, listNodeNames } from "../../core/language/call";
import { suggest, type Vocabulary } from "./completion";
import { signatureOf, buildTemplate } from "./help";

const VOCABULARY: Vocabulary = {
  operators: [...MEETING.values()].map((one) =>
    one.name === "aggregate"
      ? {
          ...one,
          parameters: [
            {
              name: "function",
              title: "function",
              type: "choice",
              required: false,
              choices: ["sum", "count"],
              percentiles: false,
              default: "sum",
              help: "",
              placeholder: "",
            },
          ],
        }
      : one,
  ),
  streams: { player: { bitrate: "number", cdn: "", "odd name": "" }, ads: {} },
  nodes: ["elsewhere"],
};

function labels(before: string, asked = false, after = ""): string[] {
  const suggestions = suggest(before, before + after, VOCABULARY, asked);
  return suggestions === null
    ? []
    : [...suggestions.options]
        .sort((a, b) => (b.boost ?? 0) - (a.boost ?? 0))
        .map((suggestion) => suggestion.label);
}

test("after a stream and a dot its fields are offered, and nothing else", () => {
  expect(labels("x = has_existed_within(player.")).toEqual(["bitrate", "cdn", "`odd name`"]);
  expect(suggest("x = f(player.bit", "", VOCABULARY, false)?.from).toBe("x = f(player.".length);
  expect(labels("x = f(nobody.")).toEqual([]);
});

test("an operator that reads a stream is offered streams first", () => {
  expect(labels("x = has_existed_within(", true).slice(0, 2)).toEqual(["player", "ads"]);
  expect(labels("x = has_existed_within(p")).not.toContain("duration_where");
});

test("other operators are offered nodes, of the whole text, then operators", () => {
  const offered = labels("a = not b\nx = duration_where(", true, ")\nlater = not a\n");
  expect(offered.slice(0, 4)).toEqual(["a", "x", "later", "elsewhere"]);
  expect(offered).toContain("shift");
});

test("choices and the names of optional arguments belong to their call", () => {
  expect(labels("x = aggregate(a, ", true).slice(0, 1)).toEqual(["by ="]);
  expect(labels("x = aggregate(a, b, ", true).slice(0, 2)).toEqual(["sum", "count"]);
  expect(labels("x = aggregate(a, function = ", true).slice(0, 2)).toEqual(["sum", "count"]);
});

test("at the beginning of a line directives are offered, behind results the nodes", () => {
  expect(labels("res")).toEqual(["plan", "stream", "results", "group", "note", "layout", "order"]);
  expect(labels("a = not b\nresults ", true)).toEqual(["a", "elsewhere"]);
});

test("nothing is offered in a quotation, in a comment, behind a complete word, or unasked", () => {
  expect(labels('x = f(player.cdn == "pl')).toEqual([]);
  expect(labels("# pla")).toEqual([]);
  expect(labels("x = not a", true, "").length).toBeGreaterThan(0);
  expect(labels("x = not (a)", true)).toEqual([]);
  expect(labels("x = not ")).toEqual([]);
});

test("one is in the innermost call that is open", () => {
  expect(callAt("x = when(a, not(b), ")).toEqual({ operator: "when", index: 2, keyword: null });
  expect(callAt("x = when(a, not(b, ")).toEqual({ operator: "not", index: 1, keyword: null });
  expect(callAt("x = aggregate(a,\n   by = ")).toEqual({ operator: "aggregate", index: 1, keyword: "by" });
  expect(callAt("x = f(a == ")).toEqual({ operator: "f", index: 0, keyword: null });
  expect(callAt("x = f(a\ny = g")).toBeNull();
  expect(callAt("x = (a")).toBeNull();
});

test("quotations and comments hold no code", () => {
  expect(extractCodeBefore('x = f("(", ')).toBe('x = f(" _, ');
  expect(extractCodeBefore("x = 1 # (")).toBeNull();
  expect(extractCodeBefore('x = f("')).toBeNull();
  expect(listNodeNames("a = 1\n  b = 2\n`odd one` = 3\nc == 4")).toEqual(["a", "odd one"]);
});

const op = (name: string) => MEETING.get(name) as NonNullable<ReturnType<typeof MEETING.get>>;

test("a signature says what is given in which order, and what may be left out", () => {
  expect(signatureOf(op("has_existed_within"))).toBe("has_existed_within(stream.field == value, duration)");
  expect(signatureOf(op("aggregate"))).toBe("aggregate(of, [by])");
  expect(signatureOf(op("equal_to"))).toBe("equal_to(of, value|other)");
  expect(signatureOf(op("and"))).toBe("and(of, …)");
});

test("a chosen operator leaves places for what it needs", () => {
  expect(buildTemplate(op("has_existed_within"))).toBe("has_existed_within(#{condition}, #{duration})");
  expect(buildTemplate(op("equal_to"))).toBe("equal_to(#{of}, #{value or other})");
  expect(buildTemplate(op("latest_event_to_state"))).toBe("latest_event_to_state(#{stream.field})");
});

test("a word of any length is looked at in no time, and nothing is offered for it", () => {
  expect(suggest(`a = has_existed(player, ${"x".repeat(200_000)}`, "", VOCABULARY, true)).toBeNull();
  expect(suggest(`a = ${"x".repeat(200_000)}(`, "", VOCABULARY, true)).not.toBeNull();
});

test("what reads a stream beside nodes is offered each in its place", () => {
  for (const one of ["when =", "a"]) expect(labels("a = not b\nx = value_at(", true)).toContain(one);
  expect(labels("a = not b\nx = value_at(a, ", true)).not.toContain("duration_where");
  expect(labels("a = not b\nx = event_count(player, while = ", true)).toContain("a");
  expect(labels("a = not b\nx = event_count(", true)).not.toContain("a");
  expect(signatureOf(op("event_count"))).toBe(
    "event_count(stream, [where = stream.field == value], [while])",
  );
  expect(signatureOf(op("value_at"))).toBe("value_at(of, [where = stream.field == value], stream|when)");
  expect(buildTemplate(op("value_at"))).toBe("value_at(#{of}, #{stream or when})");
});

test("functions of values are offered where events are asked of, also within another function", () => {
  expect(labels("x = has_existed_within(low")).toContain("lower");
  expect(labels("x = has_existed_within(starts_with(low")).toContain("lower");
  expect(labels("x = has_existed_within(starts_with(", true)).toContain("player");
  expect(labels("x = duration_where(low")).not.toContain("lower");
  expect(labels("x = round(", true)).not.toContain("lower");
});
