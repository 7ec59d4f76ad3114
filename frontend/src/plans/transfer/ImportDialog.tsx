import { useEffect, useMemo, useState } from "react";
import { describeError } from "../../core/api/client";
import { refusesMaking } from "../../core/api/rights";
import type { PlanDocument } from "../../core/api/types";
import { useStudio } from "../editor/store";
import { merge } from "../../core/graph/merge";
import { Dialog } from "../../core/ui/Dialog";
import { Preview, type ImportMode } from "./Preview";
import { readPlan, type Incoming } from "./readImport";
import { closeImport, setImportText, setImportFile, useTransfer } from "./store";
import { applyImport } from "./applyImport";
import { Failure } from "../../core/ui/Failure";
import { DialogFoot } from "../../core/ui/DialogFoot";

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
        (error: unknown) => setRead({ text, incoming: null, failure: describeError(error) }),
      );
    }, READ_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return read?.text === text ? read : { incoming: null, failure: null };
}

interface WayProps {
  way: ImportMode;
  /** Why no new plan can be made of it, or null. */
  looks: string | null;
  choose: (way: ImportMode) => void;
}

function WayChoice({ way, looks, choose }: WayProps) {
  const option = (value: ImportMode, title: string, hint: string, refusal: string | null = null) => (
    <label className="check">
      <input
        type="radio"
        name="import-way"
        data-testid={`import-${value}`}
        checked={way === value}
        disabled={refusal !== null}
        onChange={() => choose(value)}
      />
      <span>
        {title} <span className="faint">{refusal ?? hint}</span>
      </span>
    </label>
  );
  return (
    <fieldset className="ways">
      <legend>Import as</legend>
      {option("replace", "Replace the current plan", "undo restores it")}
      {option("add", "Add to the current plan", "duplicate names get a number; undo removes it")}
      {option("copy", "Create plan", "the current plan stays as it is", looks)}
    </fieldset>
  );
}

/** So much is shown of what is long, as a plan with its samples may be. */
const SHOWN = 20_000;
const LONG = 200_000;

function Source() {
  const { text, source } = useTransfer();
  const isLong = text.length > LONG;
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
              if (file) void setImportFile(file);
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
        value={isLong ? `${text.slice(0, SHOWN)}…` : text}
        readOnly={isLong}
        placeholder={"cirr = duration_where(…)\n\nor drag a file onto the page"}
        onChange={(event) => setImportText(event.target.value, "")}
      />
    </div>
  );
}

const ACTS: Readonly<Record<ImportMode, string>> = { replace: "Replace", add: "Add", copy: "Create plan" };

export interface Importing {
  current: PlanDocument | null;
  testsKept?: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

/** A plan from outside: what it would add and change, before it does; without a current plan it becomes a new one. */
export default function ImportDialog({ current, testsKept = nothing }: Importing) {
  const { incoming, failure } = useIncoming();
  const operators = useStudio((state) => state.operators);
  const given = useTransfer((state) => state.text.trim() !== "");
  const looks = useStudio(({ me }) => refusesMaking(me));
  const [chosen, setChosen] = useState<ImportMode>(
    current && Object.keys(current.nodes).length > 0 && looks === null ? "copy" : "replace",
  );
  const [refusal, setRefusal] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const way = current ? chosen : "copy";
  const document = incoming?.document ?? null;
  const merged = useMemo(
    () => (current && document && way === "add" ? merge(current, document, operators) : null),
    [current, document, way, operators],
  );
  const taking = async () => {
    if (!incoming || busy) return;
    setBusy(true);
    setRefusal(null);
    await applyImport(incoming, way, testsKept).catch((error: unknown) => setRefusal(describeError(error)));
    setBusy(false);
  };
  return (
    <Dialog title="Import a plan" close={closeImport}>
      <div className="import">
        <Source />
        <div className="import-answer" aria-live="polite">
          {given && !incoming && !failure && <p className="faint">Reading…</p>}
          <Failure words={failure} />
          {incoming && <Preview {...{ incoming, current, merged, way }} />}
        </div>
        {current && <WayChoice way={way} looks={looks} choose={setChosen} />}
      </div>
      <DialogFoot
        failure={refusal}
        go={() => void taking()}
        testid="import-take"
        refusal={document !== null ? null : given ? "No plan yet." : "Paste a plan, or choose a file."}
        busy={busy}
        close={closeImport}
      >
        {busy ? "Please wait…" : ACTS[way]}
      </DialogFoot>
    </Dialog>
  );
}
