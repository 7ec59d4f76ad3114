/** A pressed key as it is written in the table of commands: "Ctrl+Shift+Z", "Alt+A", "F8", "?". */

export type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

function nameOf({ key, code, altKey, ctrlKey, metaKey, shiftKey }: Pressed): [name: string, shift: boolean] {
  const byPlace = /^(?:Key([A-Z])|Digit(\d))$/.exec(code);
  // With Alt some systems type other signs; with Shift a digit does: there the key counts, not its sign.
  if (byPlace?.[2] !== undefined && (altKey || ctrlKey || metaKey || shiftKey)) return [byPlace[2], shiftKey];
  if (byPlace?.[1] !== undefined && altKey) return [byPlace[1], shiftKey];
  if (/^\p{L}$/u.test(key)) return [key.toUpperCase(), shiftKey];
  const isSign = key.length === 1 && key !== " ";
  return [key === " " ? "Space" : key, shiftKey && !isSign];
}

/** Command on a Mac is what Ctrl is elsewhere. A sign such as "?" says by itself that Shift was held. */
export function chordOf(event: Pressed): string {
  const [name, shift] = nameOf(event);
  const parts = [
    event.ctrlKey || event.metaKey ? "Ctrl" : "",
    event.altKey ? "Alt" : "",
    shift ? "Shift" : "",
  ];
  return [...parts, name].filter(Boolean).join("+");
}

const SIGNS: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
};

/** The keys of a chord as they are shown, one by one. */
export function keysOf(chord: string): string[] {
  const parts = chord.endsWith("++") ? [...chord.slice(0, -2).split("+"), "+"] : chord.split("+");
  return (chord === "+" ? ["+"] : parts).map((part) => SIGNS[part] ?? part);
}

export const chordText = (chord: string): string => keysOf(chord).join(" ");
