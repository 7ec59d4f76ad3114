import { Dialog } from "../../core/ui/Dialog";
import { keysOf } from "../../plans/editor/chord";
import { SECTIONS, type Command } from "../../plans/editor/command";
import { COMMANDS } from "./commands";
import { setOverlay, useOverlay } from "../../plans/editor/overlay";

export function KeyCaps({ chord }: { chord: string }) {
  return keysOf(chord).map((key, i) => <kbd key={`${key}${i}`}>{key}</kbd>);
}

const MOUSE: readonly [string, string][] = [
  ["Add a node here", "Double-click the canvas, or drop a wire on it"],
  ["Insert into a wire", "Double-click the wire, or drop an operator or an unconnected node on it"],
  ["Select several", "Shift and drag, or Ctrl and click"],
  ["Wire", "Drag from port to port; ports that cannot connect say why"],
  ["Remove a wire", "Drag its end off the port"],
];

const hasKeys = (section: Command["section"]): boolean =>
  COMMANDS.some((command) => command.section === section && command.keys.length > 0);

/** `?`: every key there is, from the table that binds them. */
export function KeySheet() {
  const open = useOverlay((overlay) => overlay.open === "keys");
  if (!open) return null;
  return (
    <Dialog title="Keyboard shortcuts" close={() => setOverlay({ open: null })}>
      <div className="key-sheet-place" role="region" aria-label="All keyboard shortcuts" tabIndex={0}>
        <div className="key-sheet" data-testid="key-sheet">
          {SECTIONS.filter(hasKeys).map((section) => (
            <section key={section}>
              <h3>{section}</h3>
              <dl>
                {COMMANDS.filter((one) => one.section === section && one.keys.length > 0).map((command) => (
                  <div key={command.title}>
                    <dt>{command.title}</dt>
                    <dd>
                      {command.keys.map((chord, i) => (
                        <span className="chord" key={chord}>
                          {i > 0 && <span className="faint">or</span>} <KeyCaps chord={chord} />
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <section>
            <h3>With the mouse</h3>
            <dl>
              {MOUSE.map(([what, how]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd className="faint">{how}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
      </div>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
