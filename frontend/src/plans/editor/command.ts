/** What a command is, why some can do nothing, and the table in which the studio registers all of them. */
import { COMMENT, numberOf } from "../../core/graph/geometry";
import { selectedNodes } from "./selectionActions";
import { getOverlay } from "./overlay";
import { get, set } from "./store";

export const SECTIONS = [
  "Plan",
  "Add and wire",
  "Edit",
  "Select",
  "Arrange",
  "Look",
  "Time",
  "Test",
  "Go",
  "Help",
] as const;

export interface Command {
  title: string;
  section: (typeof SECTIONS)[number];
  keys: readonly string[];
  run: () => void;
  /** Other words under which it is found. */
  words?: readonly string[];
  /** Why it can do nothing now, or null. */
  refuses?: () => string | null;
  /** Also while a field has the keyboard. */
  typing?: true;
  /** The browser's own event does it (the clipboard): the key is not bound here, `run` serves the palette alone. */
  native?: true;
  /** Not a command of the palette: it is about the keyboard alone. */
  keysOnly?: true;
}

export const node = (): string | null => (selectedNodes().length > 0 ? null : "Select a node first.");
export const several = (): string | null => (get().selected.length > 1 ? null : "Select two or more first.");
export const three = (): string | null => (get().selected.length > 2 ? null : "Select three or more first.");
export const any = (): string | null =>
  get().selected.length + getOverlay().picked.length > 0 ? null : "Nothing is selected.";
export const named = (): string | null =>
  get().selected.length === 1 && numberOf(get().selected[0] ?? "", COMMENT) === null
    ? null
    : "Select one node or group first.";
export const one = (): string | null => (selectedNodes().length === 1 ? null : "Select one node first.");

let table: ReadonlyMap<string, Command> = new Map();

/** The menus and bars of the canvas look commands up in this table: the editor imports no feature. */
export function registerCommands(commands: readonly Command[]): void {
  table = new Map(commands.map((command) => [command.title, command]));
}

export const commandTitled = (title: string): Command | undefined => table.get(title);

/** Run a command, or say why it can do nothing. */
export function perform(command: Command): void {
  const refusal = command.refuses?.() ?? null;
  if (refusal === null) command.run();
  else if (!command.keysOnly) set({ notice: { tone: "bad", text: refusal } });
}
