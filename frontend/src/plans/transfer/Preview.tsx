import type { PlanDocument, Problem } from "../../core/api/types";
import { computeDifference, isEmpty, type Difference } from "../../core/graph/difference";
import type { Merged } from "../../core/graph/merge";
import type { Incoming } from "./readImport";
import { useTransfer } from "./store";

/** What is done with a plan from outside. */
export type ImportMode = "replace" | "add" | "copy";

function ProblemRow({ problem, line }: { problem: Problem; line: string | undefined }) {
  const place =
    problem.line != null
      ? `line ${problem.line}, column ${problem.column ?? 1}`
      : [problem.node, problem.port].filter(Boolean).join(" · ");
  const at = Math.max(0, (problem.column ?? 1) - 1);
  const start = Math.max(0, at - 40);
  return (
    <li>
      {place && <b>{place}</b>} {problem.message} <span className="faint">{problem.hint}</span>
      {line !== undefined && line.trim() !== "" && (
        <code className="excerpt">
          {line.slice(start, at)}
          <mark>{line.slice(at, at + 1) || " "}</mark>
          {line.slice(at + 1, at + 60)}
        </code>
      )}
    </li>
  );
}

const SHOWN = 20;

function ProblemList({ problems, text }: { problems: readonly Problem[]; text: string }) {
  const lines = text.split("\n");
  return (
    <ul className="import-problems">
      {problems.slice(0, SHOWN).map((problem, i) => (
        <ProblemRow
          key={i}
          problem={problem}
          line={problem.line != null ? lines[problem.line - 1] : undefined}
        />
      ))}
      {problems.length > SHOWN && <li className="faint">and {problems.length - SHOWN} more</li>}
    </ul>
  );
}

function Names({ title, id, names }: { title: string; id: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div data-testid={`import-${id}`}>
      <h3>
        {title} <span className="faint">{names.length}</span>
      </h3>
      <p className="chips">
        {names.slice(0, 60).map((name) => (
          <code key={name} className="chip">
            {name}
          </code>
        ))}
        {names.length > 60 && <span className="faint">and {names.length - 60} more</span>}
      </p>
    </div>
  );
}

function Changes({ found }: { found: Difference }) {
  if (isEmpty(found)) return <p data-testid="import-same">Identical to the current plan.</p>;
  return (
    <div className="import-changes">
      <Names title="Added" id="added" names={found.added} />
      {found.changed.length > 0 && (
        <div data-testid="import-changed">
          <h3>
            Changed <span className="faint">{found.changed.length}</span>
          </h3>
          <ul>
            {found.changed.slice(0, 60).map(({ name, words }) => (
              <li key={name}>
                <code className="chip">{name}</code> <span className="faint">{words.join(" · ")}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Names title="Removed" id="removed" names={found.removed} />
      {found.moved.length > 0 && <p className="faint">Other places on the canvas: {found.moved.length}.</p>}
      {found.frame.length > 0 && <p className="faint">Also changed: {found.frame.join(", ")}.</p>}
    </div>
  );
}

/** What is added, and what it is called here where its own names are taken. */
function Added({ current, merged }: { current: PlanDocument; merged: Merged }) {
  const renamed = [...merged.names].filter(([old, now]) => old !== now);
  const added = computeDifference(current, merged.document).added;
  return (
    <>
      <Names title="Added" id="added" names={added} />
      {renamed.length > 0 && (
        <div data-testid="import-renamed">
          <h3>
            Under new names <span className="faint">{renamed.length}</span>
          </h3>
          <ul>
            {renamed.slice(0, SHOWN).map(([old, now]) => (
              <li key={old} className="renamed">
                <code className="chip">{old}</code> becomes <code className="chip">{now}</code>
              </li>
            ))}
            {renamed.length > SHOWN && <li className="faint">and {renamed.length - SHOWN} more</li>}
          </ul>
        </div>
      )}
    </>
  );
}

function Tests({ tests }: Pick<Incoming, "tests">) {
  if (tests === null) return null;
  if (typeof tests === "string") return <p className="bad">{tests}</p>;
  return <Names title="With its tests" id="tests" names={tests.tests.map(({ name }) => name)} />;
}

function Refused({ incoming: { form, problems } }: { incoming: Incoming }) {
  const text = useTransfer((state) => state.text);
  return (
    <div role="alert" data-testid="import-refused">
      <p className="bad">Not a valid plan{form === "JSON" ? " in JSON" : " in the text language"}.</p>
      <ProblemList problems={problems} text={text} />
    </div>
  );
}

interface PreviewProps {
  incoming: Incoming;
  current: PlanDocument | null;
  merged: Merged | null;
  way: ImportMode;
}

/** What was read, and what taking it would do. */
export function Preview({ incoming, current, merged, way }: PreviewProps) {
  const text = useTransfer((state) => state.text);
  const { document, problems, form, tests } = incoming;
  if (document === null) return <Refused incoming={incoming} />;
  const count = Object.keys(document.nodes).length;
  const target = { ...document, name: document.name ?? current?.name ?? "Untitled plan" };
  return (
    <div data-testid="import-preview">
      <p>
        “{target.name}”, {count === 1 ? "one node" : `${count} nodes`}, read as {form}.
      </p>
      {way === "replace" && current && <Changes found={computeDifference(current, target)} />}
      {way === "add" && current && merged && <Added current={current} merged={merged} />}
      {way === "copy" && <Names title="Nodes" id="nodes" names={Object.keys(document.nodes)} />}
      <Tests tests={tests} />
      {problems.length > 0 && (
        <details open={problems.length < 4}>
          <summary>
            {problems.length === 1 ? "1 problem to fix" : `${problems.length} problems to fix`}
          </summary>
          <ProblemList problems={problems} text={form === "text" ? text : ""} />
        </details>
      )}
    </div>
  );
}
