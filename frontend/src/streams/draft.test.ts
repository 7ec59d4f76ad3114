import { expect, test } from "vitest";
import type { Guessed } from "../core/api/streams";
import { declarationOf, EMPTY, saidOf, describeConfidence, withGuess } from "./draft";

const guessed: Guessed = {
  format: "csv",
  why: "",
  rows: 2,
  looked_at: 2,
  warnings: [],
  declaration: {
    key: "card",
    time: "at",
    unit: "iso8601",
    id: null,
    fields: { amount: "number", suburb: "text" },
    allowed_lateness: "1min",
    retention: "7d",
    idle_after: null,
    zone: null,
    until: null,
    allowed_ahead: "1d",
    encoding: null,
  },
  guesses: [],
  fields: ["card", "suburb", "at", "amount"].map((name) => ({
    name,
    type: "text",
    confidence: 1,
    why: "",
    alternatives: [],
    values: [],
  })),
  read: [],
  refused: 0,
  refused_lines: [],
  lateness: null,
  compared: [],
};

test("a stated encoding is kept, and an empty one is none", () => {
  const draft = withGuess({ ...EMPTY, encoding: " cp1251 " }, guessed, new Set(["encoding"]));
  expect(saidOf(draft, new Set(["encoding"]))).toEqual({ encoding: "cp1251" });
  expect(declarationOf(withGuess(EMPTY, guessed, new Set())).encoding).toBeNull();
});

test("a guess fills what nobody said, fields in the order of the sample", () => {
  const draft = withGuess({ ...EMPTY, name: "swipes" }, guessed, new Set());
  expect(draft).toMatchObject({ name: "swipes", key: "card", time: "at", unit: "iso8601", id: "" });
  expect(draft.fields.map(({ name }) => name)).toEqual(["suburb", "amount"]);
});

test("what was said by hand stays, whatever is guessed", () => {
  const mine = { ...EMPTY, key: "suburb", allowed_lateness: "2h" };
  const draft = withGuess(mine, guessed, new Set(["key", "allowed_lateness"]));
  expect(draft).toMatchObject({ key: "suburb", allowed_lateness: "2h", time: "at" });
});

test("when a stream counts as idle is never guessed, and empty says never", () => {
  const mine = { ...EMPTY, idle_after: " 1min " };
  const draft = withGuess(mine, guessed, new Set(["idle_after"]));
  expect(saidOf(draft, new Set(["idle_after"]))).toEqual({ idle_after: "1min" });
  expect(declarationOf(withGuess(EMPTY, guessed, new Set())).idle_after).toBeNull();
});

test("the end of a row is guessed, said by hand, and empty says that there is none", () => {
  const declaration = { ...guessed.declaration, until: "end" };
  const draft = withGuess(EMPTY, { ...guessed, declaration }, new Set());
  expect(draft.until).toBe("end");
  expect(declarationOf(draft).until).toBe("end");
  expect(declarationOf({ ...draft, until: " " }).until).toBeNull();
  const mine = { ...EMPTY, until: "stopped" };
  expect(withGuess(mine, { ...guessed, declaration }, new Set(["until"])).until).toBe("stopped");
});

test("how far clocks may run ahead is never guessed", () => {
  const draft = withGuess({ ...EMPTY, allowed_ahead: "never" }, guessed, new Set(["allowed_ahead"]));
  expect(saidOf(draft, new Set(["allowed_ahead"]))).toEqual({ allowed_ahead: "never" });
  expect(declarationOf(withGuess(EMPTY, guessed, new Set())).allowed_ahead).toBe("1d");
});

test("only what was said is sent, and an empty id says that there is none", () => {
  const draft = { ...EMPTY, key: "a", time: "", id: " " };
  expect(saidOf(draft, new Set(["key", "time", "id"]))).toEqual({ key: "a", id: null });
  expect(saidOf(draft, new Set(["fields"]))).toEqual({ fields: {} });
});

test("a declaration has no fields without a name, and names without spaces around", () => {
  const fields = [
    { name: " cdn ", type: "text" as const },
    { name: " ", type: "bool" as const },
  ];
  expect(declarationOf({ ...EMPTY, name: " s ", fields })).toMatchObject({
    name: "s",
    id: null,
    fields: { cdn: "text" },
  });
});

test("sureness is told in a word", () => {
  expect([0.99, 0.7, 0.2].map(describeConfidence)).toEqual(["sure", "likely", "unsure"]);
});
