import { describe, expect, test } from "vitest";
import { chordOf, keysOf, type Pressed } from "../../plans/editor/chord";
import { SECTIONS } from "../../plans/editor/command";
import { OFFERED } from "../../plans/editor/canvasMenus";
import { BAR_COMMANDS } from "../../plans/editor/SelectionBar";
import { COMMANDS } from "./commands";

const press = (key: string, code: string, held: Partial<Pressed> = {}): string =>
  chordOf({ key, code, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held });

describe("a chord", () => {
  test.each([
    [press("k", "KeyK", { ctrlKey: true }), "Ctrl+K"],
    [press("k", "KeyK", { metaKey: true }), "Ctrl+K"],
    [press("Z", "KeyZ", { ctrlKey: true, shiftKey: true }), "Ctrl+Shift+Z"],
    [press("å", "KeyA", { altKey: true }), "Alt+A"],
    [press("!", "Digit1", { shiftKey: true }), "Shift+1"],
    [press("?", "Slash", { shiftKey: true }), "?"],
    [press("+", "Equal", { shiftKey: true }), "+"],
    [press("F8", "F8", { shiftKey: true }), "Shift+F8"],
    [press("ArrowLeft", "ArrowLeft", { shiftKey: true }), "Shift+ArrowLeft"],
    [press("z", "KeyY"), "Z"],
  ])("%s is %s", (chord, wanted) => {
    expect(chord).toBe(wanted);
  });

  test("is shown key by key", () => {
    expect(keysOf("Ctrl+Shift+Z")).toEqual(["Ctrl", "Shift", "Z"]);
    expect(keysOf("+")).toEqual(["+"]);
    expect(keysOf("Alt+ArrowLeft")).toEqual(["Alt", "←"]);
  });
});

describe("the table of commands", () => {
  test("binds no key twice", () => {
    const keys = COMMANDS.flatMap((command) => command.keys);
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  });

  test("names no command twice, and fills every section", () => {
    const titles = COMMANDS.map((command) => command.title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(SECTIONS.filter((section) => COMMANDS.every((one) => one.section !== section))).toEqual([]);
  });

  test("gives every command a key, or a place in the palette", () => {
    expect(COMMANDS.filter((one) => one.keys.length === 0 && one.keysOnly)).toEqual([]);
  });

  test("has each command that the menus and the bar of the canvas offer", () => {
    const offered = [...OFFERED, ...BAR_COMMANDS, "Delete"];
    expect(offered.filter((title) => !COMMANDS.some((one) => one.title === title))).toEqual([]);
  });
});
