import { useStudio } from "../plans/editor/store";
import { open, make, refusesTests, run } from "./tests";
import { outcomeOf, useSamples } from "./store";
import type { Outcome, PlanTest } from "../core/api/samples";

const TONES: Readonly<Record<Outcome["status"], string>> = {
  passed: "green",
  failed: "red",
  broken: "amber",
  empty: "",
};

/** What became of a test. */
function standing(
  test: PlanTest,
  outcome: Outcome | undefined,
): { tone: string; word: string; words: string } {
  if (!outcome) return { tone: "", word: "", words: `on ${test.sample_name}` };
  const { status, words } = outcome;
  return { tone: TONES[status], word: status === "empty" ? "" : status, words };
}

function Row({ test }: { test: PlanTest }) {
  const chosen = useSamples((state) => state.test === test.id);
  const outcome = useSamples((state) => outcomeOf(state, test.id));
  const { tone, word, words } = standing(test, outcome);
  return (
    <li>
      <button
        type="button"
        className="test-row"
        aria-pressed={chosen}
        data-testid={`test-${test.name}`}
        data-status={outcome?.status ?? "not run"}
        onClick={() => void open(chosen ? null : test.id)}
      >
        <span className={`dot ${tone}`} aria-hidden="true" />
        <span className="test-name">{test.name}</span>
        <span className="test-status faint">{word}</span>
        <span className="test-words faint" title={words}>
          {words}
        </span>
      </button>
    </li>
  );
}

function Summary() {
  const testRun = useSamples((state) => state.run);
  const running = useSamples((state) => state.running);
  const failure = useSamples((state) => state.runFailure);
  const parts = testRun
    ? (["passed", "failed", "broken", "empty"] as const).flatMap((name) =>
        testRun[name] > 0 ? `${testRun[name]} ${name}` : [],
      )
    : [];
  if (failure !== null) return <p className="bad tests-summary">{failure}</p>;
  return (
    <p className="faint tests-summary" role="status" data-testid="tests-summary">
      {running && !testRun ? "running …" : parts.join(", ")}
    </p>
  );
}

/** The tests of the plan, and what became of them against what is drawn now. */
export function TestsList() {
  const tests = useSamples((state) => state.tests);
  const sample = useSamples((state) => state.sample);
  const plan = useStudio((state) => state.plan?.id);
  const refusal = useStudio(refusesTests);
  const why = refusal ?? (sample === null ? "Choose or record a sample first." : null);
  return (
    <section className="tests" aria-label="Tests">
      <header className="row">
        <h2>
          Tests <span className="faint">{tests.length}</span>
        </h2>
        <span className="spacer" />
        <button
          type="button"
          data-testid="run-tests"
          disabled={tests.length === 0}
          onClick={() => void run()}
        >
          Run all
        </button>
        <button
          type="button"
          data-testid="new-test"
          disabled={why !== null}
          title={why ?? "A test of the sample that is shown"}
          onClick={() => void make()}
        >
          New
        </button>
      </header>
      <Summary />
      <ul>
        {tests.map((test) => (
          <Row key={test.id} test={test} />
        ))}
      </ul>
      {tests.length === 0 && (
        <p className="faint">
          A test stores the expected output for a sample.{" "}
          {why ?? "Create one, then accept the actual output or paint it."}
        </p>
      )}
      {tests.length > 0 && plan !== undefined && (
        <a
          className="tests-export"
          href={`/api/plans/${plan}/tests/export/`}
          download={`plan-${plan}-tests.json`}
        >
          Download plan, tests and samples
        </a>
      )}
    </section>
  );
}
