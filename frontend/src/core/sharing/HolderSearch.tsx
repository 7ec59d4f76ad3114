import { useEffect, useId, useState } from "react";
import { describeError } from "../api/client";
import { people, type Holder } from "./calls";

const AFTER_MS = 150;

interface Props {
  label: string;
  /** Those that are chosen already. */
  except: readonly Holder[];
  choose: (holder: Holder) => void;
  /** Teams are not offered. */
  personsOnly?: boolean;
}

const key = ({ kind, name }: Holder): string => `${kind}:${name}`;

/** Persons, and teams where they are asked for, by a part of their names; each is a button. */
export function HolderSearch({ label, except, choose, personsOnly = false }: Props) {
  const id = useId();
  const [search, setSearch] = useState("");
  const [found, setFound] = useState<readonly Holder[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    const timer = window.setTimeout(() => {
      people.search(search.trim(), personsOnly).then(
        (answer) => current && setFound(answer),
        (error: unknown) => current && setFailure(describeError(error)),
      );
    }, AFTER_MS);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [search, personsOnly]);
  const taken = new Set(except.map(key));
  const offered = found.filter((holder) => !taken.has(key(holder)));
  return (
    <div className="field holder-search">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        data-testid="holder-search"
        placeholder="Search by name"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul aria-label="Found">
        {offered.map((holder) => (
          <li key={key(holder)}>
            <button type="button" data-testid={`holder-${holder.name}`} onClick={() => choose(holder)}>
              {holder.name} {!personsOnly && <span className="faint">{holder.kind}</span>}
            </button>
          </li>
        ))}
      </ul>
      <span className="faint" role="status">
        {failure ?? (offered.length === 0 ? "No one else to add." : "")}
      </span>
    </div>
  );
}
