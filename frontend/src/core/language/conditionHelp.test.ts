import { expect, test } from "vitest";
import { fillIn, findFunctionAround, suggestInCondition } from "./conditionHelp";

const FIELDS = { bitrate: "number", "ctx.device": "text", "odd name": "", country: "text" };
const labels = (before: string, asked = false) =>
  suggestInCondition(before, FIELDS, asked)?.options.map((option) => option.label) ?? null;

test("fields come before functions, what begins so before what has it inside", () => {
  expect(labels("co")).toEqual(["country", "coalesce", "contains"]);
  expect(labels('country == "DE" and bit')).toEqual(["bitrate"]);
  expect(labels("`odd")).toEqual(["`odd name`"]);
  expect(labels("ctx.d")).toEqual(["ctx.device"]);
});

test("nothing is proposed in a text, behind a value, or where it is written already", () => {
  expect(labels('country == "b')).toBeNull();
  expect(labels("bitrate")).toBeNull();
  expect(labels("bitrate > 3 ")).toBeNull();
  expect(labels("bitrate > 3", true)).toBeNull();
});

test("who asks before anything is typed sees the fields first", () => {
  expect(labels("", true)?.slice(0, 4)).toEqual(["bitrate", "ctx.device", "`odd name`", "country"]);
  expect(labels("lower(", true)?.[0]).toBe("bitrate");
});

test("a function is put in with its first argument selected", () => {
  const [option] = suggestInCondition("not start", FIELDS, false)?.options ?? [];
  expect(option?.label).toBe("starts_with");
  if (!option) return;
  const filled = fillIn("not start and x", 4, 9, option);
  expect(filled.text).toBe('not starts_with(text, "start") and x');
  expect(filled.text.slice(...filled.select)).toBe("text");
});

test("a field is put in with the cursor behind it", () => {
  const option = { label: "bitrate", kind: "field", detail: "number" } as const;
  expect(fillIn("bit > 3", 0, 3, option)).toEqual({ text: "bitrate > 3", select: [7, 7] });
});

test("the function around is the one whose bracket is open", () => {
  expect(findFunctionAround("lower(trim(")?.signature).toBe("trim(text)");
  expect(findFunctionAround('contains(lower(x), "a')).toBeNull();
  expect(findFunctionAround("lower(x)")).toBeNull();
});
