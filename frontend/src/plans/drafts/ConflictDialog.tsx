import { useState } from "react";
import type { Choice, Conflict, Merge } from "../../core/api/versions";
import { Dialog } from "../../core/ui/Dialog";
import { formatAgo } from "../../core/ui/format";
import { resolveConflict } from "./saving";
import { spellValue } from "./formatValue";
import { placeOf, setDraft, useDraft } from "./store";

type ResolvedConflicts = Readonly<Record<string, Choice["take"]>>;

const later = (): void => setDraft({ deciding: false });

interface SideProps {
  conflict: Conflict;
  take: Choice["take"];
  title: string;
  taken: Choice["take"] | undefined;
  choose: (take: Choice["take"]) => void;
}

function Side({ conflict, take, title, taken, choose }: SideProps) {
  const value = take === "mine" ? conflict.mine : conflict.theirs;
  return (
    <label className={`side ${taken === take ? "taken" : ""}`} data-testid={`take-${take}`}>
      <span className="side-title">
        <input
          type="radio"
          name={placeOf(conflict)}
          checked={taken === take}
          onChange={() => choose(take)}
          aria-label={`${title}: ${conflict.words}`}
        />
        {title}
      </span>
      <code className={value === undefined ? "faint" : ""}>
        {value === undefined ? "removed" : spellValue(value)}
      </code>
    </label>
  );
}

interface RowProps {
  conflict: Conflict;
  theirs: string;
  taken: Choice["take"] | undefined;
  choose: (take: Choice["take"]) => void;
}

function Row({ conflict, theirs, taken, choose }: RowProps) {
  const was =
    conflict.base === undefined ? "It did not exist before." : `It was: ${spellValue(conflict.base)}`;
  return (
    <fieldset className="conflict" data-testid="conflict">
      <legend>{conflict.words}</legend>
      <div className="sides">
        <Side conflict={conflict} take="mine" title="Yours" taken={taken} choose={choose} />
        <Side conflict={conflict} take="theirs" title={theirs} taken={taken} choose={choose} />
      </div>
      <p className="faint was">{was}</p>
    </fieldset>
  );
}

function Deciding({ merge }: { merge: Merge }) {
  const [taken, setTaken] = useState<ResolvedConflicts>({});
  const [now] = useState(() => Date.now());
  const { conflicts, saved_by, saved_at } = merge;
  const who = saved_by ?? "Somebody";
  const open = conflicts.filter((conflict) => taken[placeOf(conflict)] === undefined).length;
  const all = (take: Choice["take"]) => resolveConflict(conflicts.map(({ path }) => ({ path, take })));
  const chosen = conflicts.map(({ path }) => ({ path, take: taken[placeOf({ path })] ?? "theirs" }));
  return (
    <Dialog title="Edit conflict" close={later}>
      <p>
        {who} saved {saved_at === null ? "" : `${formatAgo(saved_at, now)} `}changes to what you changed, too.
        Choose which to keep; all other changes of both are kept.
      </p>
      <div className="conflicts">
        {conflicts.map((conflict) => (
          <Row
            key={placeOf(conflict)}
            conflict={conflict}
            theirs={`${who}’s`}
            taken={taken[placeOf(conflict)]}
            choose={(take) => setTaken({ ...taken, [placeOf(conflict)]: take })}
          />
        ))}
      </div>
      <div className="row">
        <button
          type="button"
          className="primary"
          data-testid="conflict-save"
          disabled={open > 0}
          onClick={() => void resolveConflict(chosen)}
        >
          {open === 0 ? "Save choices" : `Save choices (${open} left)`}
        </button>
        <button type="button" data-testid="conflict-mine" onClick={() => void all("mine")}>
          Keep my version
        </button>
        <button type="button" data-testid="conflict-theirs" onClick={() => void all("theirs")}>
          Save all of {who}’s
        </button>
        <span className="spacer" />
        <button type="button" className="quiet" data-testid="conflict-later" onClick={later}>
          Decide later
        </button>
      </div>
    </Dialog>
  );
}

/** Two people changed the same: each thing side by side, with a choice for each. Nothing is lost meanwhile. */
export function ConflictDialog() {
  const merge = useDraft((state) => state.merge);
  const deciding = useDraft((state) => state.deciding);
  return merge && deciding ? <Deciding key={merge.version} merge={merge} /> : null;
}
