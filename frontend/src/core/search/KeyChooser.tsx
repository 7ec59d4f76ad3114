import { useEffect, useId, useState } from "react";
import { api, describeError } from "../api/client";
import { describeKeyLookup } from "./keyWords";

interface Props {
  label: string;
  testId: string;
  /** The node whose keys are offered. */
  digest: string | null;
  /** What is offered where no node has keys: those of a preview. */
  offered?: readonly string[] | undefined;
  value: string;
  choose: (key: string) => void;
  /** None is taken unless somebody chooses one. */
  isOptional?: boolean;
  /** Why it has none yet, by its state. */
  stands?: string | null | undefined;
  /** Told why there is no key yet, where that is not that there are none; null where it is. */
  waits?: ((words: string | null) => void) | undefined;
}

const POLL_MS = 2000;

interface FoundKeys {
  digest: string | null;
  keys: readonly string[];
  /** Why they could not be read. */
  failure: string | null;
}

/** The keys of a preview that match. */
function offeredAs(offered: Props["offered"], search: string): FoundKeys | null {
  if (offered === undefined || offered.length === 0) return null;
  return { digest: null, keys: offered.filter((key) => key.includes(search)), failure: null };
}

/** Keys of a node that match, the most recently revised first; asked again until there are any. Without a node, those that are offered. */
function useKeys(
  digest: string | null,
  offered: Props["offered"],
  search: string,
  wanted: boolean,
): FoundKeys | null {
  const [found, setFound] = useState<FoundKeys | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (digest === null || !wanted) return;
    let current = true;
    let timer = 0;
    // Only once it was answered, however long that took: a question that is dropped was asked for nothing.
    const answer = (keys: readonly string[], failure: string | null) => {
      if (!current) return;
      setFound({ digest, keys, failure });
      if (keys.length === 0) timer = window.setTimeout(() => setTurn((n) => n + 1), POLL_MS);
    };
    api.keys(digest, search).then(
      (rows) =>
        answer(
          rows.map(({ key }) => key),
          null,
        ),
      (error: unknown) => answer([], describeError(error)),
    );
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [digest, search, wanted, turn]);
  if (digest === null) return offeredAs(offered, search);
  return found?.digest === digest ? found : null;
}

interface OptionsProps {
  id: string;
  keys: readonly string[];
  /** What is said where there are none. */
  none: string;
  marked: number;
  choose: (key: string) => void;
}

function Options({ id, keys, none, marked, choose }: OptionsProps) {
  return (
    <ul className="options" role="listbox" id={id}>
      {keys.map((key, i) => (
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
  { digest, value, choose, waits, stands = null, isOptional = false }: Props,
  found: FoundKeys | null,
  draft: string | null,
): string | null {
  const words = describeKeyLookup(digest, found, stands, draft ?? "");
  const waiting = value === "" ? words : null;
  useEffect(() => waits?.(waiting), [waits, waiting]);
  const newest = found?.keys[0];
  const isLeft = draft !== null || isOptional;
  useEffect(() => {
    if (value === "" && !isLeft && newest !== undefined) choose(newest);
  }, [value, isLeft, newest, choose]);
  return words;
}

/** Choose a key by searching. Without a choice the most recent key is taken as soon as there is one. */
export function KeyChooser(props: Props) {
  const { label, testId, digest, offered, value, choose } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const [marked, setMarked] = useState(-1);
  const id = useId();
  const open = draft !== null;
  const found = useKeys(digest, offered, draft ?? "", open || value === "");
  const isIdle = digest === null && found === null;
  const keys = found?.keys ?? [];
  const words = useWithoutKey(props, found, draft);
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
    } else if (event.key === "Enter") settle(keys[marked] ?? draft);
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
          disabled={isIdle}
          placeholder={isIdle ? "none yet" : "search"}
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
            none={words ?? "No key matches."}
            marked={marked}
            choose={settle}
          />
        )}
      </span>
    </div>
  );
}
