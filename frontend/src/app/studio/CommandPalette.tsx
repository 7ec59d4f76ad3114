import { Command as Menu } from "cmdk";
import { useEffect, useRef, useState } from "react";
import { describeError, read } from "../../core/api/client";
import type { SearchAnswer, SearchResult } from "../../core/search/results";
import { asNames } from "../../core/search/language";
import { useLatestAnswer } from "../../core/search/useLatestAnswer";
import { perform, SECTIONS } from "../../plans/editor/command";
import { COMMANDS } from "./commands";
import { showNode } from "../../plans/editor/edits";
import { chordText } from "../../plans/editor/chord";
import { KeyCaps } from "./KeySheet";
import { setOverlay, useOverlay } from "../../plans/editor/overlay";
import { useModal } from "../../core/ui/useModal";
import { selectMatches, type Findable } from "../../plans/editor/rankMatches";
import { leaveFor } from "../../plans/drafts/planActions";
import { documentOf, useStudio, type StudioState } from "../../plans/editor/store";
import { focusNode } from "../../plans/editor/view";

/** Something that the palette does. */
interface PaletteEntry extends Findable {
  id: string;
  section: string;
  /** What is said beside its title. */
  note: string | null;
  keys: string | null;
  /** Why it cannot be done now. */
  refusal: string | null;
  act: () => void;
}

function commandActs(): PaletteEntry[] {
  return SECTIONS.flatMap((section) =>
    COMMANDS.filter((one) => one.section === section && !one.keysOnly).map((command): PaletteEntry => ({
      id: `command ${command.title}`,
      section,
      title: command.title,
      words: [section, ...(command.words ?? [])],
      note: null,
      keys: command.keys[0] ?? null,
      refusal: command.refuses?.() ?? null,
      act: () => perform(command),
    })),
  );
}

function nodeActs(state: StudioState): PaletteEntry[] {
  return Object.entries(documentOf(state).nodes).map(([name, { op }]): PaletteEntry => {
    const operator = state.operators.get(op)?.title ?? op;
    return {
      id: `node ${name}`,
      section: "Go to a node",
      title: name,
      words: [`go to node ${name}`, operator],
      note: operator,
      keys: null,
      refusal: null,
      act: () => {
        showNode(name);
        focusNode(name);
      },
    };
  });
}

function planActs(plans: readonly SearchResult[], here: number | undefined): PaletteEntry[] {
  return plans
    .filter(({ id }) => id !== String(here))
    .map(({ id, name, owner, words }): PaletteEntry => ({
      id: `plan ${id}`,
      section: "Open another plan",
      title: name,
      words: [`open plan ${name}`, owner],
      note: `plan of ${owner}, ${words}`,
      keys: null,
      refusal: null,
      act: () => void leaveFor(`/plans/${id}/`),
    }));
}

function Item({ act, choose }: { act: PaletteEntry; choose: (act: PaletteEntry) => void }) {
  const note = act.refusal ?? act.note;
  return (
    <Menu.Item value={act.id} disabled={act.refusal !== null} onSelect={() => choose(act)}>
      <span className="quick-name">{act.title}</span>
      {note !== null && <span className="faint quick-summary">{note}</span>}
      {act.keys !== null && (
        <span className="keys" aria-label={chordText(act.keys)}>
          <KeyCaps chord={act.keys} />
        </span>
      )}
    </Menu.Item>
  );
}

function Groups({ acts, choose }: { acts: readonly PaletteEntry[]; choose: (act: PaletteEntry) => void }) {
  const sections = [...new Set(acts.map(({ section }) => section))];
  return sections.map((section) => (
    <Menu.Group key={section} heading={section}>
      {acts
        .filter((act) => act.section === section)
        .map((act) => (
          <Item key={act.id} act={act} choose={choose} />
        ))}
    </Menu.Group>
  ));
}

const PLANS = 20;

const askPlans = async (search: string, signal: AbortSignal): Promise<readonly SearchResult[]> => {
  const wanted = { q: asNames(search), kind: "plan", limit: String(PLANS) };
  return (await read<SearchAnswer>(`/api/search/?${new URLSearchParams(wanted)}`, signal)).results;
};

const NO_PLANS: readonly SearchResult[] = [];

/** The plans that are called so, as the server finds them; or why they could not be had. */
function usePlans(search: string): { plans: readonly SearchResult[]; failure: string | null } {
  const { answer, error } = useLatestAnswer(search.trim().slice(0, 200), askPlans);
  return { plans: answer ?? NO_PLANS, failure: error === null ? null : describeError(error) };
}

interface ActsProps {
  search: string;
  plans: readonly SearchResult[];
  choose: (act: PaletteEntry) => void;
}

/** In groups as long as nothing is typed; then the best first. (cmdk would sort within its groups alone.) */
function Acts({ search, plans, choose }: ActsProps) {
  const state = useStudio();
  const acts = [...commandActs(), ...nodeActs(state), ...planActs(plans, state.plan?.id)];
  if (search.trim() === "") return <Groups acts={acts} choose={choose} />;
  return selectMatches(acts, search).map((act) => <Item key={act.id} act={act} choose={choose} />);
}

/** Ctrl K: every command by name, every node of the plan, every other plan. */
export function CommandPalette() {
  const open = useOverlay((overlay) => overlay.open === "commands");
  return open ? <OpenPalette /> : null;
}

function OpenPalette() {
  const dialog = useModal();
  const input = useRef<HTMLInputElement>(null);
  const [search, setSearch] = useState("");
  const { plans, failure } = usePlans(search);
  // A dialog gives the keyboard to the first thing in it that could take it, which is not the field.
  useEffect(() => input.current?.focus(), []);
  const close = () => {
    dialog.current?.close();
    setOverlay({ open: null });
  };
  return (
    <dialog
      ref={dialog}
      className="command-palette"
      data-testid="command-palette"
      aria-label="Commands"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <Menu label="Commands, nodes and plans" loop shouldFilter={false}>
        <Menu.Input
          ref={input}
          placeholder="Find a command, a node or a plan"
          value={search}
          onValueChange={setSearch}
        />
        <Menu.List>
          <Menu.Empty>No matching command.</Menu.Empty>
          <Acts
            search={search}
            plans={plans}
            choose={(act) => {
              // The dialog gives the keyboard back first, so that what is opened keeps it.
              close();
              act.act();
            }}
          />
        </Menu.List>
        <div role="status">
          {failure !== null && <p className="bad quick-title">Could not list other plans: {failure}</p>}
        </div>
      </Menu>
    </dialog>
  );
}
