import { Panel } from "@xyflow/react";
import { commandTitled, perform, type Command } from "./command";
import { chordText } from "./chord";
import { useStudio } from "./store";

/** Small pictures of what is aligned: a line, and two bars at it. */
const PICTURES: Readonly<Record<string, string>> = {
  "Align left": "M2 1v14M4 3h10v4H4zM4 9h6v4H4z",
  "Align centres": "M8 1v14M3 3h10v4H3zM5 9h6v4H5z",
  "Align right": "M14 1v14M2 3h10v4H2zM6 9h6v4H6z",
  "Align top": "M1 2h14M3 4v10h4V4zM9 4v6h4V4z",
  "Align middles": "M1 8h14M3 3v10h4V3zM9 5v6h4V5z",
  "Align bottom": "M1 14h14M3 2v10h4V2zM9 6v6h4V6z",
  "Distribute across": "M2 1v14M14 1v14M6 4h4v8H6z",
  "Distribute down": "M1 2h14M1 14h14M4 6h8v4H4z",
  Group: "M1 1h14v14H1zM4 4h3v3H4zM9 9h3v3H9z",
  "Lay out selection": "M1 6h4v4H1zM11 1h4v4h-4zM11 11h4v4h-4zM5 8h3M11 3H8v10h3",
};

/** The commands that the bar offers, by the titles under which they are registered. */
export const BAR_COMMANDS: readonly string[] = Object.keys(PICTURES);

function BarButton({ command }: { command: Command }) {
  const refusal = command.refuses?.() ?? null;
  const [keys] = command.keys;
  const words = `${command.title}${keys === undefined ? "" : ` (${chordText(keys)})`}`;
  return (
    <button
      type="button"
      className="quiet"
      aria-label={command.title}
      title={refusal ?? words}
      disabled={refusal !== null}
      onClick={() => perform(command)}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={PICTURES[command.title]} />
      </svg>
    </button>
  );
}

/** What can be done with several things at once. */
export function SelectionBar() {
  const several = useStudio((state) => state.selected.length > 1);
  if (!several) return null;
  return (
    <Panel position="top-center">
      <div className="selection-bar" role="toolbar" aria-label="Selection" data-testid="selection-bar">
        {BAR_COMMANDS.flatMap((title) => {
          const command = commandTitled(title);
          return command ? [<BarButton key={title} command={command} />] : [];
        })}
      </div>
    </Panel>
  );
}
