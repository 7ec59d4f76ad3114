import { useEffect, useState } from "react";
import { api, inWords } from "../api/client";
import type { PlanDocument, Problem } from "../api/types";
import { rewrite } from "../editor/edits";
import { complete } from "../editor/complete";
import { set } from "../editor/store";
import { difference, isEmpty, type Difference } from "../graph/difference";
import { Dialog } from "../ui/Dialog";
import { readPlan, type Incoming } from "./read";
import { closeImport, give, giveFile, useTransfer } from "./store";

const READ_AFTER_MS = 250;

/** What is given, read as soon as it rests; null while nothing is given or it is being read. */
function useIncoming(): { incoming: Incoming | null; failure: string | null } {
  const text = useTransfer((state) => state.text);
  const [read, setRead] = useState<{
    text: string;
    incoming: Incoming | null;
    failure: string | null;
  } | null>(null);
  useEffect(() => {
    if (text.trim() === "") return;
    const timer = window.setTimeout(() => {
      readPlan(text).then(
        (incoming) => setRead({ text, incoming, failure: null }),
        (error: unknown) => setRead({ text, incoming: null, failure: inWords(error) }),
      );
    }, READ_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return read?.text === text ? read : { incoming: null, failure: null };
}

function ProblemRow({ problem, line }: { problem: Problem; line: string | undefined }) {
  const place =
    problem.line != null
      ? `line ${problem.line}, column ${problem.column ?? 1}`
      : [problem.node, problem.port].filter(Boolean).join(" · ");
  const at = Math.max(0, (problem.column ?? 1) - 1);
  const start = Math.max(0, at - 40);
  return (
    <li>
      {place && <b>{place}</b>} {problem.message} <span className="faint">{problem.cure}</span>
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
  if (isEmpty(found)) return <p data-testid="import-same">It is the plan that is drawn here already.</p>;
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

type Way = "replace" | "copy";

interface WayProps {
  way: Way;
  choose: (way: Way) => void;
}

function WayChoice({ way, choose }: WayProps) {
  const option = (value: Way, title: string, hint: string) => (
    <label className="check">
      <input
        type="radio"
        name="import-way"
        data-testid={`import-${value}`}
        checked={way === value}
        onChange={() => choose(value)}
      />
      <span>
        {title} <span className="faint">{hint}</span>
      </span>
    </label>
  );
  return (
    <fieldset className="ways">
      <legend>What to do with it</legend>
      {option("replace", "Replace what is drawn here", "undo brings it back")}
      {option("copy", "Make a new plan of it", "this one stays as it is")}
    </fieldset>
  );
}

function Preview({ incoming, current, way }: { incoming: Incoming; current: PlanDocument | null; way: Way }) {
  const text = useTransfer((state) => state.text);
  const { document, problems, form } = incoming;
  if (document === null)
    return (
      <div role="alert" data-testid="import-refused">
        <p className="bad">
          This cannot be read as a plan{form === "JSON" ? " in JSON" : " in the text language"}.
        </p>
        <ProblemList problems={problems} text={text} />
      </div>
    );
  const count = Object.keys(document.nodes).length;
  const target = { ...document, name: document.name ?? current?.name ?? "Untitled plan" };
  return (
    <div data-testid="import-preview">
      <p>
        “{target.name}”, {count === 1 ? "one node" : `${count} nodes`}, read as {form}.
      </p>
      {way === "replace" && current && <Changes found={difference(current, target)} />}
      {way === "copy" && <Names title="Nodes" id="nodes" names={Object.keys(document.nodes)} />}
      {problems.length > 0 && (
        <details open={problems.length < 4}>
          <summary>
            {problems.length === 1
              ? "One problem is left to mend"
              : `${problems.length} problems are left to mend`}
          </summary>
          <ProblemList problems={problems} text={form === "text" ? text : ""} />
        </details>
      )}
    </div>
  );
}

function Source() {
  const { text, source } = useTransfer();
  return (
    <div className="field">
      <div className="row spread">
        <label htmlFor="import-text">{source === "" ? "Paste a plan, as JSON or text" : source}</label>
        <label className="button">
          Choose a file…
          <input
            type="file"
            className="visually-hidden"
            data-testid="import-file"
            accept=".json,.txt,.plan,application/json,text/plain"
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) void giveFile(file);
              event.target.value = "";
            }}
          />
        </label>
      </div>
      <textarea
        id="import-text"
        data-testid="import-text"
        spellCheck={false}
        rows={8}
        value={text}
        placeholder={"cirr = duration_where(…)\n\nor drag a file onto the page"}
        onChange={(event) => give(event.target.value, "")}
      />
    </div>
  );
}

/** Keep it as a new plan, and open that. */
async function makePlan(document: PlanDocument): Promise<void> {
  const made = await api.createPlan({ name: document.name, document: complete(document) });
  window.location.assign(`/plans/${made.id}/`);
}

/** A plan from outside: what it would add and change, before it does; without a current plan it becomes a new one. */
export default function ImportDialog({ current }: { current: PlanDocument | null }) {
  const { incoming, failure } = useIncoming();
  const given = useTransfer((state) => state.text.trim() !== "");
  const [chosen, setChosen] = useState<Way>(
    current && Object.keys(current.nodes).length > 0 ? "copy" : "replace",
  );
  const [refusal, setRefusal] = useState<string | null>(null);
  const way = current ? chosen : "copy";
  const take = (document: PlanDocument) => {
    const named = { ...document, name: document.name ?? current?.name ?? "Untitled plan" };
    if (way === "copy") return void makePlan(named).catch((error: unknown) => setRefusal(inWords(error)));
    closeImport();
    rewrite(named, null);
    set({ notice: { tone: "good", text: "Imported. Undo brings back what was here." } });
  };
  const document = incoming?.document ?? null;
  return (
    <Dialog title="Import a plan" close={closeImport}>
      <div className="import">
        <Source />
        <div className="import-answer" aria-live="polite">
          {given && !incoming && !failure && <p className="faint">Reading…</p>}
          {failure && <p className="bad">{failure}</p>}
          {incoming && <Preview incoming={incoming} current={current} way={way} />}
        </div>
        {current && <WayChoice way={way} choose={setChosen} />}
        {refusal && <p className="bad">{refusal}</p>}
      </div>
      <div className="row">
        <button
          type="button"
          className="primary"
          data-testid="import-take"
          disabled={document === null}
          onClick={() => document && take(document)}
        >
          {way === "copy" ? "Make a new plan" : "Replace"}
        </button>
        <button type="button" onClick={closeImport}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
