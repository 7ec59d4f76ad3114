import { useState } from "react";
import { useStudio } from "../plans/editor/store";
import { Glyph, REDO, UNDO } from "../core/ui/Glyph";
import { chooseKey, zoom } from "./actions";
import { expectedOf, outcomeOf, testOf, useSamples } from "./store";
import { followNames, forget, redo, refusesTests, renameTest, expectAnswers, undo } from "./tests";
import type { Difference, NodeAnswer, Outcome, PlanTest } from "../core/api/samples";

const LEAST = 2_000_000;

/** Show a difference, with as much around it. */
function showDifference({ key, from, to }: Difference, groups: readonly string[]): void {
  chooseKey(groups.includes(key) ? "group" : "key", key);
  if (from === null && to === null) return zoom(null);
  const length = Math.max((to ?? from ?? 0) - (from ?? to ?? 0), LEAST);
  zoom({ start: (from ?? (to ?? 0) - length) - length, end: (to ?? (from ?? 0) + length) + length });
}

function Differences({ outcome }: { outcome: Outcome }) {
  const groups = useSamples((state) => state.answer?.groups);
  return (
    <div className="differences" role="status" data-testid="differences">
      {outcome.problems.map(({ message, hint }, i) => (
        <p key={i}>
          <span className="dot amber" aria-hidden="true" /> {message}
          {hint ? `; ${hint}` : ""}
        </p>
      ))}
      <ul>
        {outcome.differences.map((difference, i) => (
          <li key={i}>
            <button
              type="button"
              className="quiet"
              title="Show it"
              onClick={() => showDifference(difference, groups ?? [])}
            >
              <span className="dot red" aria-hidden="true" /> {difference.words}
            </button>
          </li>
        ))}
      </ul>
      {outcome.count > outcome.differences.length && (
        <p className="faint">and {outcome.count - outcome.differences.length} more</p>
      )}
    </div>
  );
}

function Name({ test }: { test: PlanTest }) {
  const [draft, setDraft] = useState<string | null>(null);
  const settle = () => {
    if (draft !== null) renameTest(draft);
    setDraft(null);
  };
  return (
    <input
      className="test-title"
      aria-label="Name of the test"
      data-testid="test-name"
      maxLength={200}
      value={draft ?? test.name}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={settle}
      onKeyDown={(event) => event.key === "Enter" && settle()}
    />
  );
}

const SAVING = { saved: "saved", waiting: "unsaved", saving: "saving …" } as const;

function Editing({ test, answers }: { test: PlanTest; answers: readonly NodeAnswer[] }) {
  const canUndo = useSamples((state) => state.history.past.length > 0);
  const canRedo = useSamples((state) => state.history.future.length > 0);
  const saving = useSamples((state) => state.saving);
  const renames = useSamples((state) => Object.keys(outcomeOf(state, state.test)?.renamed ?? {}).length > 0);
  return (
    <>
      <button
        type="button"
        data-testid="take-all"
        disabled={answers.length === 0}
        title="Use the actual values of all visible nodes"
        onClick={() => expectAnswers(answers)}
      >
        Use all actual values
      </button>
      {renames && (
        <button type="button" className="primary" data-testid="follow-names" onClick={followNames}>
          Use the new names
        </button>
      )}
      <Glyph
        id="test-undo"
        title="Undo in the test"
        keys="Ctrl Z in the lanes"
        picture={UNDO}
        disabled={!canUndo}
        act={undo}
      />
      <Glyph
        id="test-redo"
        title="Redo in the test"
        keys="Ctrl Shift Z in the lanes"
        picture={REDO}
        disabled={!canRedo}
        act={redo}
      />
      <button type="button" className="danger" onClick={() => void forget(test.id)}>
        Delete
      </button>
      <span className="faint nowrap roomy" data-testid="test-saving">
        {SAVING[saving]}
      </span>
    </>
  );
}

/** The keys of which something is expected; one click shows them. */
function Keys() {
  const expected = useSamples(expectedOf);
  const shown = useSamples((state) => [state.key, state.group].join("\n")).split("\n");
  const groups = useSamples((state) => state.answer?.groups);
  const keys = [...new Set(expected.map(({ key }) => key))].filter((key) => !shown.includes(key));
  if (keys.length === 0) return null;
  return (
    <span className="chips">
      <span className="faint">also expected of</span>
      {keys.slice(0, 6).map((key) => (
        <button
          key={key}
          type="button"
          className="chip"
          onClick={() => chooseKey(groups?.includes(key) ? "group" : "key", key)}
        >
          {key}
        </button>
      ))}
    </span>
  );
}

/** The test that is open: its name, what can be done to it, and what became of it. */
export function TestBar({ answers }: { answers: readonly NodeAnswer[] }) {
  const test = useSamples(testOf);
  const outcome = useSamples((state) => outcomeOf(state, state.test));
  const refusal = useStudio(refusesTests);
  if (!test) return null;
  return (
    <>
      <div className="test-bar row">
        {refusal === null ? <Name test={test} /> : <b title={refusal}>{test.name}</b>}
        {refusal === null && <Editing test={test} answers={answers} />}
      </div>
      <Keys />
      {outcome && (outcome.status === "failed" || outcome.status === "broken") && (
        <Differences outcome={outcome} />
      )}
    </>
  );
}
