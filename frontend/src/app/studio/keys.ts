/** Binding the keys of the table of commands. */
import { chordOf } from "../../plans/editor/chord";
import { keepOuterWires } from "../../plans/editor/clipboard";
import { perform, type Command } from "../../plans/editor/command";
import { COMMANDS } from "./commands";
import { isTyping } from "../../core/search/store";
import { closeAll } from "../../plans/editor/overlay";
import { get } from "../../plans/editor/store";
import { focusNode } from "../../plans/editor/view";

const BOUND: ReadonlyMap<string, Command> = new Map(
  COMMANDS.flatMap((command) => command.keys.map((key): [string, Command] => [key, command])),
);

/** Whether a key without Ctrl belongs to the canvas: one that is typed elsewhere does something there. */
function isOnCanvas(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : document.body;
  if (document.querySelector(".canvas") === null) return false;
  if (target === document.body) return true;
  if (!target.closest(".canvas")) return event.key.startsWith("F");
  return !(["Enter", " "].includes(event.key) && target.closest("button, a, summary"));
}

/** Back from the fields of a node to the node; whether the keyboard was there. */
function leaveInspector(target: EventTarget | null): boolean {
  const [id] = get().selected;
  if (!(target instanceof Element) || !target.closest(".inspector") || id === undefined) return false;
  (document.activeElement as HTMLElement | null)?.blur();
  focusNode(id);
  return true;
}

function reaches(command: Command, event: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]") !== null) return false;
  if (isTyping(event.target)) return command.typing ?? false;
  return event.ctrlKey || event.metaKey || event.altKey || isOnCanvas(event);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const chord = chordOf(event);
  if (chord === "Escape" && closeAll()) return event.preventDefault();
  if (chord === "Escape" && leaveInspector(event.target)) return event.preventDefault();
  const command = BOUND.get(chord);
  if (!command || !reaches(command, event)) return;
  if (command.native) {
    if (chord === "Ctrl+Shift+V") keepOuterWires();
    return;
  }
  event.preventDefault();
  // A field that commits when it is left (a node's name) commits now.
  if (isTyping(document.activeElement) && !document.activeElement?.closest(".cm-editor"))
    (document.activeElement as HTMLElement).blur();
  perform(command);
}

/** Listen to the keyboard; the answer ends it. */
export function listenToKeys(): () => void {
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}
