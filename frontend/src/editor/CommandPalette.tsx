import { Command as Menu } from "cmdk";
import { useEffect, useRef } from "react";
import { chordText, KeyCaps } from "./KeySheet";
import { SECTIONS } from "./command";
import { COMMANDS } from "./commands";
import { showNode } from "./edits";
import { perform } from "./keys";
import { lay, useOverlay } from "./overlay";
import { documentOf, useStudio } from "./store";
import { focusNode } from "./view";

const close = () => lay({ open: null });

function Nodes() {
  const nodes = useStudio((state) => documentOf(state).nodes);
  const operators = useStudio((state) => state.operators);
  const show = (name: string) => {
    close();
    showNode(name);
    focusNode(name);
  };
  return (
    <Menu.Group heading="Nodes">
      {Object.entries(nodes).map(([name, { op }]) => (
        <Menu.Item key={name} value={`node ${name} ${op}`} onSelect={() => show(name)}>
          <span>{name}</span> <span className="faint">{operators.get(op)?.title ?? op}</span>
        </Menu.Item>
      ))}
    </Menu.Group>
  );
}

function Commands() {
  return SECTIONS.map((section) => (
    <Menu.Group key={section} heading={section}>
      {COMMANDS.filter((one) => one.section === section && !one.keysOnly).map((command) => {
        const refusal = command.refuses?.() ?? null;
        return (
          <Menu.Item
            key={command.title}
            value={`${section} ${command.title}`}
            disabled={refusal !== null}
            onSelect={() => {
              close();
              // The dialog gives the keyboard back first, so that what the command opens keeps it.
              window.requestAnimationFrame(() => perform(command));
            }}
          >
            <span>{command.title}</span>
            {refusal !== null && <span className="faint">{refusal}</span>}
            {command.keys[0] !== undefined && (
              <span className="keys" aria-label={chordText(command.keys[0])}>
                <KeyCaps chord={command.keys[0]} />
              </span>
            )}
          </Menu.Item>
        );
      })}
    </Menu.Group>
  ));
}

/** Ctrl K: every command by name, and every node of the plan. */
export function CommandPalette() {
  const open = useOverlay((overlay) => overlay.open === "commands");
  return open ? <OpenPalette /> : null;
}

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="command-palette"
      data-testid="command-palette"
      aria-label="Commands"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <Menu label="Commands and nodes" loop>
        <Menu.Input placeholder="Find a command or a node" autoFocus />
        <Menu.List>
          <Menu.Empty>Nothing is called so.</Menu.Empty>
          <Commands />
          <Nodes />
        </Menu.List>
      </Menu>
    </dialog>
  );
}
