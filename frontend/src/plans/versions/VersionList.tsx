import { useState, type FormEvent } from "react";
import type { Version } from "../../core/api/versions";
import { refusesChange, useStudio } from "../editor/store";
import { Ago } from "../../core/ui/Ago";
import { compare, make, loadOlderVersions, rename, restore, titleOf, useVersions } from "./store";

const REASONS: Record<Version["reason"], string> = {
  run: "run",
  hand: "kept",
  restore: "before a restore",
};

function NameForm({ version, done }: { version: Version; done: () => void }) {
  const [name, setName] = useState(version.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void rename(version.number, name.trim());
    done();
  };
  return (
    <form className="row" onSubmit={submit}>
      <input
        autoFocus
        aria-label={`Name of version ${version.number}`}
        data-testid="version-name"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          done();
        }}
      />
      <button type="submit">Keep name</button>
    </form>
  );
}

function Row({ version, now }: { version: Version; now: number }) {
  const [naming, setNaming] = useState(false);
  const shown = useVersions((state) => state.from === version.number && state.to === null);
  const busy = useVersions((state) => state.busy);
  const refusal = useStudio(refusesChange);
  const may = !busy && refusal === null;
  return (
    <li className={shown ? "shown" : ""} data-testid={`version-${version.number}`}>
      <button
        type="button"
        className="quiet version-title"
        aria-pressed={shown}
        title="Compare with the draft"
        onClick={() => void compare(version.number, null)}
      >
        <b>{version.name || `Version ${version.number}`}</b>
        {version.name !== "" && <span className="faint">version {version.number}</span>}
        <span className={`reason ${version.runs ? "runs" : ""}`}>
          {version.runs ? "running" : REASONS[version.reason]}
        </span>
      </button>
      <p>{version.words}</p>
      <p className="faint">
        {version.by ?? "a deleted user"}, <Ago at={version.made_at} now={now} />
      </p>
      {naming ? (
        <NameForm version={version} done={() => setNaming(false)} />
      ) : (
        <div className="row">
          <button type="button" disabled={!may} title={refusal ?? undefined} onClick={() => setNaming(true)}>
            {version.name === "" ? "Rename" : "Rename"}
          </button>
          <button
            type="button"
            data-testid="restore"
            disabled={!may}
            title={refusal ?? "Restores the draft to this version; running nodes continue"}
            onClick={() => void restore(version)}
          >
            Restore
          </button>
        </div>
      )}
    </li>
  );
}

function MakeForm() {
  const [name, setName] = useState("");
  const busy = useVersions((state) => state.busy);
  const refusal = useStudio(refusesChange);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void make(name.trim());
    setName("");
  };
  return (
    <form className="make" onSubmit={submit}>
      <label htmlFor="make-name">Save as version</label>
      <div className="row">
        <input
          id="make-name"
          data-testid="make-name"
          placeholder="Name (optional)"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button
          type="submit"
          data-testid="make-version"
          disabled={busy || refusal !== null}
          title={refusal ?? undefined}
        >
          Keep
        </button>
      </div>
    </form>
  );
}

/** All versions, the newest first. */
export function VersionList() {
  const list = useVersions((state) => state.list);
  const more = useVersions((state) => state.next !== null);
  const [now] = useState(() => Date.now());
  return (
    <nav className="version-list" aria-label="Versions">
      <MakeForm />
      {list?.length === 0 && (
        <p className="faint" data-testid="no-versions">
          No versions yet. Every run saves one, and you can save the draft as one at any time.
        </p>
      )}
      <ol>
        {list?.map((one) => (
          <Row key={one.number} version={one} now={Math.max(now, Date.parse(one.made_at))} />
        ))}
      </ol>
      {more && (
        <button type="button" onClick={() => void loadOlderVersions()}>
          Show older
        </button>
      )}
    </nav>
  );
}

interface ChoiceProps {
  label: string;
  value: number | null;
  choose: (number: number | null) => void;
}

/** One side of the comparison. */
function SideChoice({ label, value, choose }: ChoiceProps) {
  const list = useVersions((state) => state.list) ?? [];
  return (
    <label className="nowrap">
      {label}{" "}
      <select
        data-testid={`compare-${label.toLowerCase()}`}
        value={value ?? "draft"}
        onChange={(event) => choose(event.target.value === "draft" ? null : Number(event.target.value))}
      >
        <option value="draft">the draft</option>
        {list.map((one) => (
          <option key={one.number} value={one.number}>
            {one.name === "" ? titleOf(one) : `${one.name} (${one.number})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Which two are compared. */
export function SideChoices() {
  const from = useVersions((state) => state.from);
  const to = useVersions((state) => state.to);
  return (
    <div className="row">
      <SideChoice label="From" value={from} choose={(number) => void compare(number, to)} />
      <SideChoice label="To" value={to} choose={(number) => void compare(from, number)} />
      <button type="button" title="Swap the two versions" onClick={() => void compare(to, from)}>
        Swap
      </button>
    </div>
  );
}
