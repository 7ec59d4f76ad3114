import { useEffect, useId, useState } from "react";
import { api, inWords } from "../api/client";
import type { KeyRow } from "../api/types";
import { lookWords } from "./empty";

interface Props {
  label: string;
  testId: string;
  digest: string | null;
  value: string;
  choose: (key: string) => void;
  /** Told why there is no key yet, where that is not that there are none; null where it is. */
  waits?: ((words: string | null) => void) | undefined;
}

const POLL_MS = 2000;

interface Found {
  digest: string;
  keys: KeyRow[];
  /** Why they could not be read. */
  failure: string | null;
}

/** Keys of a node that match, the most recently revised first; asked again until there are any. */
function useKeys(digest: string | null, search: string, wanted: boolean): Found | null {
  const [found, setFound] = useState<Found | null>(null);
  const empty = found === null || found.digest !== digest || found.keys.length === 0;
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (digest === null || !wanted) return;
    let current = true;
    const answer = (keys: KeyRow[], failure: string | null) => current && setFound({ digest, keys, failure });
    api.keys(digest, search).then(
      (keys) => answer(keys, null),
      (error: unknown) => answer([], inWords(error)),
    );
    const timer = empty ? window.setTimeout(() => setTurn((n) => n + 1), POLL_MS) : 0;
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [digest, search, wanted, turn, empty]);
  return found?.digest === digest ? found : null;
}

interface OptionsProps {
  id: string;
  keys: readonly KeyRow[];
  /** What is said where there are none. */
  none: string;
  marked: number;
  choose: (key: string) => void;
}

function Options({ id, keys, none, marked, choose }: OptionsProps) {
  return (
    <ul className="options" role="listbox" id={id}>
      {keys.map(({ key }, i) => (
        <li
          key={key}
          role="option"
          aria-selected={i === marked}
          onMouseDown={(event) => {
            event.preventDefault();
            choose(key);
          }}
        >
          {key}
        </li>
      ))}
      {keys.length === 0 && <li className="faint">{none}</li>}
    </ul>
  );
}

/** Without a key: why there is none yet is told, and the most recent one taken unless somebody is choosing. */
function useWithoutKey(
  { digest, value, choose, waits }: Pick<Props, "digest" | "value" | "choose" | "waits">,
  found: Found | null,
  open: boolean,
): void {
  const waiting = value === "" ? lookWords(digest, found) : null;
  useEffect(() => waits?.(waiting), [waits, waiting]);
  const newest = found?.keys[0]?.key;
  useEffect(() => {
    if (value === "" && !open && newest !== undefined) choose(newest);
  }, [value, open, newest, choose]);
}

/** Choose a key by searching. Without a choice the most recent key is taken as soon as there is one. */
export function KeyChooser({ label, testId, digest, value, choose, waits }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const [marked, setMarked] = useState(-1);
  const id = useId();
  const open = draft !== null;
  const found = useKeys(digest, draft ?? "", open || value === "");
  const keys = found?.keys ?? [];
  useWithoutKey({ digest, value, choose, waits }, found, open);
  const settle = (key: string | null) => {
    if (key !== null && key !== "") choose(key);
    setDraft(null);
    setMarked(-1);
  };
  const onKey = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setDraft(draft ?? "");
      setMarked(Math.max(-1, Math.min(keys.length - 1, marked + step)));
    } else if (event.key === "Enter") settle(keys[marked]?.key ?? draft);
    else if (event.key === "Escape") settle(null);
  };
  return (
    <div className="chooser">
      <label htmlFor={`${id}-input`}>{label}</label>
      <span className="chooser-place">
        <input
          id={`${id}-input`}
          data-testid={testId}
          role="combobox"
          aria-expanded={open}
          aria-controls={`${id}-list`}
          autoComplete="off"
          spellCheck={false}
          disabled={digest === null}
          placeholder={digest === null ? "none yet" : "search"}
          value={draft ?? value}
          onFocus={(event) => {
            setDraft("");
            event.target.select();
          }}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={() => settle(draft)}
          onKeyDown={onKey}
        />
        {open && (
          <Options
            id={`${id}-list`}
            keys={keys}
            none={lookWords(digest, found) ?? "No key matches."}
            marked={marked}
            choose={settle}
          />
        )}
      </span>
    </div>
  );
}
