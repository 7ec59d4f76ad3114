import { expect, test } from "vitest";
import { hueOf, initials } from "./colour";
import { spellValue } from "./formatValue";

test("values of a document are told in words", () => {
  expect(spellValue(undefined)).toBe("not there");
  expect(spellValue("")).toBe("empty");
  expect(spellValue(["played", "calm"])).toBe("played, calm");
  expect(spellValue([])).toBe("none");
  expect(spellValue(5)).toBe("5");
  expect(spellValue({ op: "not", inputs: { of: "a" } })).toBe("op: not\ninputs: of: a");
});

test("a person has the same colour on every page, and two letters", () => {
  expect(hueOf("ada")).toBe(hueOf("ada"));
  expect(hueOf("ada")).not.toBe(hueOf("bob"));
  expect(initials("ada.lovelace")).toBe("AL");
  expect(initials("bob")).toBe("BO");
});
