import { useEffect, useRef, useState, type ReactNode } from "react";
import { may, type Right } from "../api/rights";
import type { TransferSelection } from "../sharing/calls";
import { GiveDialog } from "../sharing/GiveDialog";
import {
  describeSelection,
  NONE,
  partOf,
  keepExisting,
  toggleOne,
  toggleShown,
  type Choice,
} from "./selection";
import type { Kind } from "./language";

export interface Owned {
  owner: string;
  rights: readonly Right[];
}

/** The boxes of a table: in its head, and of each row. */
export interface RowCheckboxes<T> {
  head: ReactNode;
  of: (row: T) => ReactNode;
}

interface BoxProps {
  label: string;
  part: "all" | "none" | "some";
  /** Why it cannot be chosen. */
  refusal?: string | undefined;
  testid: string;
  toggle: () => void;
}

function Box({ label, part, refusal, testid, toggle }: BoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = part === "some";
  }, [part]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={label}
      title={refusal}
      disabled={refusal !== undefined}
      checked={part === "all"}
      data-testid={testid}
      onChange={toggle}
    />
  );
}

interface Ways<T> {
  kind: Kind;
  /** What was asked for the rows: another search chooses nothing. */
  asked: string;
  rows: readonly T[];
  idOf: (row: T) => string;
  nameOf: (row: T) => string;
}

export interface RowSelection<T> extends Pick<Ways<T>, "kind"> {
  choice: Choice;
  /** The ids of what is shown and may be chosen. */
  shown: readonly string[];
  set: (choice: Choice) => void;
  boxes: RowCheckboxes<T>;
}

/** Choosing things of a list that one may give away. */
export function useRowSelection<T extends Owned>({
  kind,
  asked,
  rows,
  idOf,
  nameOf,
}: Ways<T>): RowSelection<T> {
  const [held, hold] = useState<{ asked: string; choice: Choice }>({ asked, choice: NONE });
  const shown = rows.filter((row) => may("own", row)).map(idOf);
  const choice = held.asked === asked ? keepExisting(held.choice, shown) : NONE;
  const set = (next: Choice) => hold({ asked, choice: next });
  const head = (
    <th className="box">
      <Box
        label={`Select all visible ${kind}s`}
        part={partOf(choice, shown)}
        refusal={shown.length === 0 ? "You own none of them." : undefined}
        testid="choose-shown"
        toggle={() => set(toggleShown(choice, shown))}
      />
    </th>
  );
  const of = (row: T) => (
    <td className="box">
      <Box
        label={`Select ${nameOf(row)}`}
        part={may("own", row) ? partOf(choice, [idOf(row)]) : "none"}
        refusal={may("own", row) ? undefined : `Owner: ${row.owner}.`}
        testid={`choose-${idOf(row)}`}
        toggle={() => set(toggleOne(choice, idOf(row), shown))}
      />
    </td>
  );
  return { kind, choice, shown, set, boxes: { head, of } };
}

interface BarProps<T> {
  choosing: RowSelection<T>;
  /** What the list is searched for. */
  q: string;
  /** Not all that match are shown. */
  more: boolean;
  changed: () => void;
}

/** What is chosen, and what is done with it. */
export function SelectedRowsBar<T>({ choosing, q, more, changed }: BarProps<T>) {
  const { kind, choice, shown, set } = choosing;
  const [giving, setGiving] = useState<TransferSelection | null>(null);
  const [said, setSaid] = useState("");
  const what = `${kind}s`;
  const words = describeSelection(choice, what);
  const give = () => setGiving(choice.all ? { of: kind, q } : { of: kind, ids: [...choice.ids] });
  const done = (result: string) => {
    setGiving(null);
    set(NONE);
    setSaid(result);
    changed();
  };
  return (
    <div className="chosen" data-testid="chosen">
      <button type="button" data-testid="transfer-chosen" disabled={words === ""} onClick={give}>
        Change owner…
      </button>
      {words !== "" && (
        <button type="button" className="quiet" data-testid="choose-none" onClick={() => set(NONE)}>
          Clear selection
        </button>
      )}
      {more && !choice.all && partOf(choice, shown) === "all" && (
        <button
          type="button"
          className="quiet"
          data-testid="choose-all"
          onClick={() => set({ ids: new Set(), all: true })}
        >
          Select all matching {what}
        </button>
      )}
      <span role="status" data-testid="chosen-words">
        {words === "" ? said : words}
      </span>
      {giving && <GiveDialog meant={giving} what={what} close={() => setGiving(null)} done={done} />}
    </div>
  );
}
